/* The parts of weft doctor's report. Each is a JSON value, from which the text is printed. */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <jansson.h>

/* {path, from, problem}: where drivers are registered, and which variable says so; and [{file, library, problem, devices}]: each
 * driver, tried in processes of its own. */
void doctor_drivers(double limit_s, json_t **vendors, json_t **drivers);

/* [{file, problem}]: what OPENCL_LAYERS names. */
json_t *doctor_layers(double limit_s);

/* {devices, default, problem}: what a program sees, with all drivers and the environment as they are. */
json_t *doctor_together(double limit_s);

/* [{slot, vendor}] of the GPUs on the PCI bus; [{file, mode, owner, group, usable}]; {name, groups}; {NAME: value} of the environment
 * that matters. */
json_t *doctor_gpus(void);
json_t *doctor_device_files(void);
json_t *doctor_user(void);
json_t *doctor_environment(void);

/* ["What to do"], from the rest of the report. */
json_t *doctor_advice(const json_t *report);

#endif
