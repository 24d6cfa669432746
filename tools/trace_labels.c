/* Times, rates and shares as a reader wants them. */
#include <math.h>
#include <stdio.h>

#include "trace_report.h"

static label scaled(double value, const char *const *units, size_t n_units, double step) {
    label out;
    size_t unit = 0;
    while (unit + 1 < n_units && fabs(value) >= step) {
        value /= step;
        unit++;
    }
    int digits = value == floor(value) ? 0 : fabs(value) < 10 ? 2 : fabs(value) < 100 ? 1 : 0;
    snprintf(out.text, sizeof out.text, "%.*f %s", digits, value, units[unit]);
    return out;
}

label label_time(double ns) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    return scaled(ns, units, 4, 1000);
}

label label_rate(double gb_s) {
    static const char *const units[] = {"MB/s", "GB/s", "TB/s"};
    return scaled(gb_s * 1000, units, 3, 1000);
}

label label_share(double part, double whole) {
    label out;
    snprintf(out.text, sizeof out.text, "%.1f %%", whole > 0 ? 100 * part / whole : 0);
    return out;
}
