/* base/process: what holds exit() back, and what is refused once it has begun. */
#include "support.h"

#include "base/process.h"

static void become(int state) {
    atomic_store(&process_state_now, state);
}

START_TEST(a_running_process_may_be_held) {
    ck_assert(process_hold_exit());
    ck_assert(process_hold_exit());
    process_let_exit();
    process_let_exit();
    ck_assert_int_eq(process_state(), PROCESS_RUNNING);
}
END_TEST

/* Else a call that holds twice would wait for the exit that waits for it. */
START_TEST(who_holds_may_hold_again) {
    ck_assert(process_hold_exit());
    become(PROCESS_EXITING);
    bool again = process_hold_exit();
    if (again) {
        process_let_exit();
    }
    process_let_exit();
    bool after = process_hold_exit();
    become(PROCESS_RUNNING);
    ck_assert(again && !after);
}
END_TEST

START_TEST(a_process_that_ends_is_not_held) {
    static const int states[] = {PROCESS_EXITING, PROCESS_FORKED};
    static const weft_status statuses[] = {WEFT_ERROR_DRIVER, WEFT_ERROR_FORKED};
    for (int i = 0; i < 2; i++) {
        become(states[i]);
        bool held = process_hold_exit();
        int state = process_state();
        weft_status status = process_refuse(), called = weft_context_create(NULL, &(weft_context *){NULL});
        size_t devices = weft_number_of_devices(NULL);
        become(PROCESS_RUNNING);
        ck_assert(!held);
        ck_assert_int_eq(state, states[i]);
        ck_assert_int_eq(status, statuses[i]);
        ck_assert_int_eq(called, statuses[i]);
        ck_assert_uint_eq(devices, 0);
    }
    ck_assert(process_hold_exit()); /* and nothing of it stays */
    process_let_exit();
    test_context_works(test_context());
}
END_TEST

TESTS(a_running_process_may_be_held, who_holds_may_hold_again, a_process_that_ends_is_not_held)
