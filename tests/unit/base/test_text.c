/* base/text: growth, formatting, handing over, and errors that stick. */
#include "support.h"

#include "base/text.h"

START_TEST(an_empty_text_is_an_empty_string) {
    text t = {0};
    char *string = text_take(&t);
    ck_assert_str_eq(string, "");
    free(string);
    text_free(&t);
}
END_TEST

START_TEST(pieces_join_in_order) {
    text t = {0};
    text_puts(&t, "one");
    text_append(&t, ", two and more", 5);
    text_append(&t, NULL, 0);
    text_printf(&t, ", %d%s", 3, "");
    ck_assert_uint_eq(t.length, strlen("one, two, 3"));
    char *string = text_take(&t);
    ck_assert_str_eq(string, "one, two, 3");
    free(string);
}
END_TEST

START_TEST(bytes_may_be_zero) {
    text t = {0};
    text_append(&t, "a\0b", 4);
    ck_assert_uint_eq(t.length, 4);
    ck_assert_mem_eq(t.data, "a\0b", 4);
    text_free(&t);
}
END_TEST

/* Every length around the capacity steps, by each of the ways to append. */
START_TEST(growth_keeps_every_byte) {
    text one = {0}, formatted = {0};
    for (int i = 0; i < 5000; i++) {
        char c = (char)('a' + i % 26);
        text_append(&one, &c, 1);
        text_printf(&formatted, "%c", c);
    }
    ck_assert_uint_eq(one.length, 5000);
    ck_assert_uint_eq(formatted.length, 5000);
    for (int i = 0; i < 5000; i++) {
        ck_assert_int_eq(one.data[i], 'a' + i % 26);
    }
    ck_assert_mem_eq(one.data, formatted.data, 5000);

    text long_line = {0};
    text_puts(&long_line, "x");
    text_printf(&long_line, "%s%4000d", "y", 7);
    ck_assert_uint_eq(long_line.length, 4002);
    ck_assert_int_eq(long_line.data[4001], '7');
    text_free(&one);
    text_free(&formatted);
    text_free(&long_line);
}
END_TEST

START_TEST(taking_resets) {
    text t = {0};
    text_puts(&t, "first");
    char *first = text_take(&t);
    ck_assert_uint_eq(t.length, 0);
    text_puts(&t, "second");
    char *second = text_take(&t);
    ck_assert_str_eq(first, "first");
    ck_assert_str_eq(second, "second");
    free(first);
    free(second);
}
END_TEST

START_TEST(failure_sticks_until_taken) {
    text t = {0};
    text_puts(&t, "kept");
    text_append(&t, "", SIZE_MAX);
    ck_assert(t.failed);
    text_puts(&t, "dropped");
    text_printf(&t, "%d", 1);
    ck_assert_uint_eq(t.length, 4);
    ck_assert_ptr_null(text_take(&t));
    ck_assert(!t.failed);
    text_puts(&t, "again");
    char *string = text_take(&t);
    ck_assert_str_eq(string, "again");
    free(string);
}
END_TEST

/* A character that the C locale has no bytes for. */
START_TEST(what_cannot_be_formatted_is_a_failure) {
    text t = {0};
    text_puts(&t, "kept");
    text_printf(&t, "%ls", L"\u20ac");
    ck_assert(t.failed);
    ck_assert_uint_eq(t.length, 4);
    ck_assert_ptr_null(text_take(&t));
}
END_TEST

TESTS(an_empty_text_is_an_empty_string, pieces_join_in_order, bytes_may_be_zero, growth_keeps_every_byte, taking_resets,
      failure_sticks_until_taken, what_cannot_be_formatted_is_a_failure)
