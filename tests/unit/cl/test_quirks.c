/* cl/quirks: each row has one bit, a driver that exists, a name of its own and evidence. */
#include "support.h"

#include "cl/quirks.h"

START_TEST(every_row_says_all) {
    static const char *const drivers[] = {"pocl", "rusticl", "oclgrind", "nvidia"};
    size_t count;
    const quirk_row *rows = quirk_rows(&count);
    ck_assert_uint_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof drivers / sizeof *drivers; k++) {
            known = known || strcmp(rows[i].implementation, drivers[k]) == 0;
        }
        ck_assert_msg(known, "%s is no driver", rows[i].implementation);
        uint32_t bit = (uint32_t)rows[i].bit;
        ck_assert_msg(bit && (bit & (bit - 1)) == 0, "%s has not one bit", rows[i].name);
        ck_assert(rows[i].name[0] && rows[i].evidence[0]);
        for (size_t k = 0; k < i; k++) { /* one name a bit, and no row twice */
            bool same = rows[k].bit == rows[i].bit;
            ck_assert_msg(same == (strcmp(rows[k].name, rows[i].name) == 0), "%s and %s", rows[k].name, rows[i].name);
            ck_assert(!same || strcmp(rows[k].implementation, rows[i].implementation) != 0);
        }
    }
}
END_TEST

START_TEST(a_driver_has_the_bits_of_its_rows) {
    const uint32_t pocl = quirks_of("pocl"), rusticl = quirks_of("rusticl"), oclgrind = quirks_of("oclgrind"),
                   nvidia = quirks_of("nvidia");
    ck_assert(oclgrind & QUIRK_NOT_THREAD_SAFE && !((pocl | rusticl | nvidia) & QUIRK_NOT_THREAD_SAFE));
    ck_assert(rusticl & QUIRK_FINISH_NEEDS_MARKER && !((pocl | oclgrind | nvidia) & QUIRK_FINISH_NEEDS_MARKER));
    ck_assert(pocl & nvidia & QUIRK_SUBMITS_EAGERLY && !((rusticl | oclgrind) & QUIRK_SUBMITS_EAGERLY));
    ck_assert(pocl & rusticl & QUIRK_DRAIN_BEFORE_EXIT && !((oclgrind | nvidia) & QUIRK_DRAIN_BEFORE_EXIT));
    ck_assert(oclgrind & nvidia & QUIRK_LINE_IGNORED && !((pocl | rusticl) & QUIRK_LINE_IGNORED));
    ck_assert(pocl & rusticl & oclgrind & nvidia & QUIRK_MEMORY_OVERCOMMITS);
    ck_assert_uint_eq(quirks_of(""), 0);
    ck_assert_uint_eq(quirks_of("poc"), 0);
}
END_TEST

TESTS(every_row_says_all, a_driver_has_the_bits_of_its_rows)
