#include "support.h"

#include "base/arith.h"
#include "base/refcount.h"

START_TEST(the_last_release_says_so) {
    refcount refs;
    refcount_init(&refs);
    ck_assert(refcount_is_one(&refs));
    refcount_retain(&refs);
    ck_assert(!refcount_is_one(&refs));
    ck_assert(refcount_try_retain(&refs));
    ck_assert(!refcount_release(&refs));
    ck_assert(!refcount_release(&refs));
    ck_assert(refcount_is_one(&refs));
    ck_assert(refcount_release(&refs));
    ck_assert(!refcount_is_one(&refs));
}
END_TEST

START_TEST(what_is_gone_is_not_retained) {
    refcount refs;
    refcount_init(&refs);
    ck_assert(refcount_release(&refs));
    ck_assert(!refcount_try_retain(&refs));
    ck_assert(!refcount_try_retain(&refs));
    ck_assert_uint_eq(atomic_load(&refs.count), 0);
}
END_TEST

START_TEST(ranges_end_before_they_overflow) {
    ck_assert(size_in_range(0, 0, 0) && size_in_range(4, 0, 4) && size_in_range(1, 3, 4) && size_in_range(0, 4, 4));
    ck_assert(!size_in_range(5, 0, 4) && !size_in_range(1, 4, 4) && !size_in_range(4, 1, 4));
    ck_assert(!size_in_range(2, SIZE_MAX, 4) && !size_in_range(SIZE_MAX, 2, 4));
    size_t product = 0;
    ck_assert(size_multiply(SIZE_MAX / 2, 2, &product) && product == SIZE_MAX - 1);
    ck_assert(!size_multiply(SIZE_MAX / 2 + 1, 2, &product));
}
END_TEST

START_TEST(only_a_shared_byte_is_an_overlap) {
    ck_assert(size_overlap(0, 4, 3, 4) && size_overlap(3, 4, 0, 4) && size_overlap(0, 8, 2, 1) && size_overlap(2, 1, 0, 8));
    ck_assert(!size_overlap(0, 4, 4, 4) && !size_overlap(4, 4, 0, 4));
    ck_assert(!size_overlap(2, 0, 0, 8) && !size_overlap(0, 8, 2, 0));
    ck_assert_uint_eq(size_min(3, 5), 3);
    ck_assert_uint_eq(size_min(5, 3), 3);
    ck_assert_uint_eq(size_max(3, 5), 5);
    ck_assert_uint_eq(size_max(5, 3), 5);
}
END_TEST

TESTS(the_last_release_says_so, what_is_gone_is_not_retained, ranges_end_before_they_overflow, only_a_shared_byte_is_an_overlap)
