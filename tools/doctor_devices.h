/* Questions to drivers, each asked in a process of its own. */
#ifndef DOCTOR_DEVICES_H
#define DOCTOR_DEVICES_H

#include "probe.h"

typedef struct library_question {
    const char *name, *symbol;
} library_question;

/* {problem, found}: why the library does not load, and whether it has the symbol. */
probe doctor_load(const library_question *question, double limit_s);

/* {devices, default, problem}: of the drivers that the folder registers; NULL: of the environment as it is. */
probe doctor_list(const char *vendors, double limit_s);

typedef struct launch_question {
    const char *vendors, *api;
    int id;
} launch_question;

/* {problem}: of a small computation on the device. */
probe doctor_launch(const launch_question *question, double limit_s);

#endif
