/* One kernel of a program: what reflection says of it, and the driver's kernel objects that launch it. */
#ifndef PROGRAM_KERNEL_H
#define PROGRAM_KERNEL_H

#include <weft/function.h>

#include "context/device.h"
#include "program/types.h"

/* Rank 0: no tensor. */
typedef struct tensor_form {
    size_t rank;
    bool is_rows;   /* the last stride is 1 */
    bool is_narrow; /* the layout's numbers are 32-bit */
} tensor_form;

typedef struct param {
    cl_uint index; /* of the driver's argument; a tensor's layout is the one after it */
    char *name;
    char *type_name; /* as written */
    weft_arg_class kind;
    weft_address_space space;
    bool is_const, is_restrict, is_volatile;
    type_info type; /* of the value, or of what a pointer points to */
    tensor_form tensor;
} param;

/* A driver's kernel object carries its arguments as state, so one thread at a time may set and launch it. */
typedef struct kernel_slot {
    atomic_bool busy;
    bool launched;
    cl_kernel cl;
} kernel_slot;

enum { KERNEL_SLOTS = 8 };

typedef struct kernel {
    uint32_t id; /* of this process; never 0 */
    char *driver_name;
    const char *name; /* as in the source; within driver_name */
    cl_program program; /* the build's */
    const device_entry *entry;
    bool padded;        /* has no parameters, but for one that argless_build gave it */
    atomic_bool launched; /* at least once */
    bool reflected;     /* what follows is known; guarded by the build's lock */
    param *params;
    size_t n_params;
    bool has_asserts;      /* the kernel wants the context's record of failed assertions */
    cl_uint asserts_index; /* as this argument of the driver's */
    size_t max_threads_per_block;
    size_t preferred_multiple;
    size_t static_shared_bytes;
    size_t most_shared_bytes; /* static and dynamic together */
    size_t private_bytes;
    size_t required_block[3]; /* 0 when the kernel does not say */
    kernel_slot slots[KERNEL_SLOTS];
} kernel;

/* Asks the driver about the kernel, but for parameters that are there already. type_text is the program's text, for the
 * sizes of its own types; NULL when there is none, and those stay unknown. */
weft_status kernel_reflect(kernel *kernel, device *device, const char *type_text, const char *options);
void kernel_destroy(kernel *kernel);
void param_free(param *param);

/* What a kernel holds besides driver objects. */
void kernel_free_names(kernel *kernel);

/* The next kernel's. */
uint32_t kernel_next_id(void);

/* A kernel object of the caller's own. */
weft_status kernel_create_object(const kernel *kernel, cl_kernel *out);

/* A kernel object for this thread alone, until kernel_unlock. */
weft_status kernel_lock(kernel *kernel, kernel_slot **out);
static inline void kernel_unlock(const kernel *kernel, kernel_slot *slot) {
    atomic_store_explicit(&slot->busy, false, memory_order_release);
    driver_let_exit(kernel->entry);
}

#endif
