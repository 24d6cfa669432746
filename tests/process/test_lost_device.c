/* A kernel that writes where it must not, on devices that notice: the failure names what was launched, the device is
 * lost, other devices live on. The model's test_function_error, in both modes. */
#include "children.h"
#include "support.h"

/* What a stray write does on a CPU device is the end of the process. */
static bool is_cpu(void) {
    weft_device_info info;
    OK(weft_device_get_info(NULL, 0, &info));
    return strcmp(info.kind, "cpu") == 0;
}

START_TEST(a_stray_write_is_found_at_synchronize) {
    if (is_cpu()) SKIP("a stray write ends the process on a CPU device");
    expect_right_in(environ, "faulty", NULL, NULL);
}
END_TEST

START_TEST(a_stray_write_is_found_at_once_with_weft_sync) {
    if (is_cpu()) SKIP("a stray write ends the process on a CPU device");
    setenv("WEFT_SYNC", "1", 1);
    expect_right_in(environ, "faulty", NULL, NULL);
    unsetenv("WEFT_SYNC");
}
END_TEST

TESTS(a_stray_write_is_found_at_synchronize, a_stray_write_is_found_at_once_with_weft_sync)
