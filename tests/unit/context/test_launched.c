/* The list of kernels that were launched since the last wait. */
#include "context/launched.h"

#include "support.h"

static launched list;
static char text[4096];

static void begin(void) {
    memset(&list, 0, sizeof list);
    launched_init(&list);
}

static void launch(uint32_t id) {
    char name[64];
    snprintf(name, sizeof name, "kernel_%u", id);
    if (!launched_note(&list, id)) launched_add_locked(&list, id, name);
}

static const char *show(size_t size) {
    launched_show_locked(&list, text, size);
    return text;
}

START_TEST(nothing_is_said_of_nothing) {
    begin();
    ck_assert_str_eq(show(sizeof text), "");
    launch(1);
    launched_end_locked(&list, launched_begin_wait(&list));
    ck_assert_str_eq(show(sizeof text), "");
}
END_TEST

START_TEST(each_once_and_none_from_before) {
    begin();
    launch(1);
    launch(2);
    launched_end_locked(&list, launched_begin_wait(&list));
    for (int i = 0; i < 3; i++) {
        launch(2);
        launch(3);
    }
    ck_assert_str_eq(show(sizeof text), "; launched since the last synchronize: kernel_2, kernel_3");
}
END_TEST

START_TEST(a_wait_that_fails_forgets_nothing) {
    begin();
    launch(1);
    launched_begin_wait(&list);
    launch(2);
    ck_assert_str_eq(show(sizeof text), "; launched since the last synchronize: kernel_1, kernel_2");
}
END_TEST

/* More kernels than slots: those that lost theirs are told as others. */
START_TEST(more_than_there_are_slots) {
    begin();
    for (uint32_t id = 1; id <= LAUNCHED_SLOTS + 2; id++) launch(id);
    ck_assert_ptr_nonnull(strstr(show(sizeof text), "kernel_33, "));
    ck_assert_ptr_nonnull(strstr(text, "kernel_34, "));
    ck_assert_ptr_null(strstr(text, "kernel_1,"));
    ck_assert_str_eq(text + strlen(text) - 11, " and others");
    launched_end_locked(&list, launched_begin_wait(&list));
    launch(5);
    ck_assert_str_eq(show(sizeof text), "; launched since the last synchronize: kernel_5");
}
END_TEST

START_TEST(a_short_text_says_that_there_are_others) {
    begin();
    for (uint32_t id = 1; id <= 20; id++) launch(id);
    ck_assert_uint_lt(strlen(show(300)), 300);
    ck_assert_str_eq(text + strlen(text) - 11, " and others");
}
END_TEST

TESTS(nothing_is_said_of_nothing, each_once_and_none_from_before, a_wait_that_fails_forgets_nothing, more_than_there_are_slots,
      a_short_text_says_that_there_are_others)
