/* Contexts, queues, memory and events: they are made, counted, asked about, and go with their last reference. */
#include <stdint.h>

#include "null_driver.h"

void *object_new(size_t size_bytes) {
    object *object = calloc(1, size_bytes);
    if (object) {
        object->dispatch = &null_dispatch;
        atomic_init(&object->references, 1);
    }
    return object;
}

/* ---- Contexts -------------------------------------------------------------------------------------- */

cl_context clCreateContext(const cl_context_properties *properties, cl_uint n_devices, const cl_device_id *devices,
                           void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *code) {
    return created(object_new(sizeof(struct _cl_context)), code);
}

cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                   void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *code) {
    return clCreateContext(properties, 1, NULL, notify, user, code);
}

cl_int clRetainContext(cl_context context) {
    object_retain(&context->object);
    return CL_SUCCESS;
}

cl_int clReleaseContext(cl_context context) {
    if (object_release(&context->object)) {
        free(context);
    }
    return CL_SUCCESS;
}

cl_int clGetContextInfo(cl_context context, cl_context_info name, size_t capacity, void *out, size_t *out_size) {
    switch (name) {
        case CL_CONTEXT_REFERENCE_COUNT:
            return ANSWER(cl_uint, atomic_load(&context->object.references));
        case CL_CONTEXT_NUM_DEVICES:
            return ANSWER(cl_uint, 1);
        case CL_CONTEXT_DEVICES:
            return ANSWER(cl_device_id, &null_device);
        case CL_CONTEXT_PROPERTIES:
            return ANSWER_NOTHING();
        default:
            return CL_INVALID_VALUE;
    }
}

/* ---- Queues ---------------------------------------------------------------------------------------- */

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                      cl_int *code) {
    if (properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE) {
        return refused(CL_INVALID_QUEUE_PROPERTIES, code);
    }
    cl_command_queue queue = object_new(sizeof *queue);
    if (queue) {
        clRetainContext(context);
        queue->context = context;
        queue->properties = properties;
    }
    return created(queue, code);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties, cl_int *code) {
    cl_command_queue_properties bits = 0;
    for (const cl_queue_properties *p = properties; p && *p; p += 2) {
        if (*p != CL_QUEUE_PROPERTIES) {
            return refused(CL_INVALID_QUEUE_PROPERTIES, code);
        }
        bits = p[1];
    }
    return clCreateCommandQueue(context, device, bits, code);
}

cl_int clRetainCommandQueue(cl_command_queue queue) {
    object_retain(&queue->object);
    return CL_SUCCESS;
}

cl_int clReleaseCommandQueue(cl_command_queue queue) {
    if (object_release(&queue->object)) {
        clReleaseContext(queue->context);
        free(queue);
    }
    return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t capacity, void *out,
                             size_t *out_size) {
    switch (name) {
        case CL_QUEUE_CONTEXT:
            return ANSWER(cl_context, queue->context);
        case CL_QUEUE_DEVICE:
            return ANSWER(cl_device_id, &null_device);
        case CL_QUEUE_REFERENCE_COUNT:
            return ANSWER(cl_uint, atomic_load(&queue->object.references));
        case CL_QUEUE_PROPERTIES:
            return ANSWER(cl_command_queue_properties, queue->properties);
        default:
            return CL_INVALID_VALUE;
    }
}

/* ---- Memory ---------------------------------------------------------------------------------------- */

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_pointer, cl_int *code) {
    bool use_host = flags & CL_MEM_USE_HOST_PTR;
    bool needs_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (!size || size > MAX_ALLOCATION) {
        return refused(CL_INVALID_BUFFER_SIZE, code);
    }
    if (needs_host != (host_pointer != NULL)) {
        return refused(CL_INVALID_HOST_PTR, code);
    }
    cl_mem memory = object_new(sizeof *memory);
    if (!memory) {
        return created(NULL, code);
    }
    if (use_host) {
        memory->host_pointer = host_pointer;
        memory->data = host_pointer;
    } else if ((memory->block = calloc(1, size + BASE_ALIGNMENT))) {
        uintptr_t address = (uintptr_t)memory->block;
        memory->data = (unsigned char *)memory->block + (BASE_ALIGNMENT - address % BASE_ALIGNMENT);
    } else {
        free(memory);
        return refused(CL_MEM_OBJECT_ALLOCATION_FAILURE, code);
    }
    if (flags & CL_MEM_COPY_HOST_PTR) {
        memcpy(memory->data, host_pointer, size);
    }
    clRetainContext(context);
    memory->context = context;
    memory->flags = flags;
    memory->size = size;
    return created(memory, code);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
                                    void *host_pointer, cl_int *code) {
    if (properties && *properties) {
        return refused(CL_INVALID_PROPERTY, code);
    }
    return clCreateBuffer(context, flags, size, host_pointer, code);
}

cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *code) {
    const cl_buffer_region *region = info;
    if (parent->parent) {
        return refused(CL_INVALID_MEM_OBJECT, code);
    }
    bool inside = region->origin <= parent->size && region->size <= parent->size - region->origin;
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !inside) {
        return refused(CL_INVALID_VALUE, code);
    }
    if (!region->size) {
        return refused(CL_INVALID_BUFFER_SIZE, code);
    }
    if (region->origin % BASE_ALIGNMENT) {
        return refused(CL_MISALIGNED_SUB_BUFFER_OFFSET, code);
    }
    cl_mem memory = object_new(sizeof *memory);
    if (memory) {
        clRetainMemObject(parent);
        memory->parent = parent;
        memory->context = parent->context;
        memory->flags = flags;
        memory->origin = region->origin;
        memory->size = region->size;
        memory->data = parent->data + region->origin;
        memory->host_pointer = parent->host_pointer ? memory->data : NULL;
    }
    return created(memory, code);
}

cl_int clRetainMemObject(cl_mem memory) {
    object_retain(&memory->object);
    return CL_SUCCESS;
}

cl_int clReleaseMemObject(cl_mem memory) {
    if (!object_release(&memory->object)) {
        return CL_SUCCESS;
    }
    if (memory->parent) {
        clReleaseMemObject(memory->parent);
    } else {
        clReleaseContext(memory->context);
    }
    free(memory->block);
    free(memory);
    return CL_SUCCESS;
}

cl_int clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t capacity, void *out, size_t *out_size) {
    switch (name) {
        case CL_MEM_TYPE:
            return ANSWER(cl_mem_object_type, CL_MEM_OBJECT_BUFFER);
        case CL_MEM_FLAGS:
            return ANSWER(cl_mem_flags, memory->flags);
        case CL_MEM_SIZE:
            return ANSWER(size_t, memory->size);
        case CL_MEM_HOST_PTR:
            return answer(&memory->host_pointer, sizeof memory->host_pointer, capacity, out, out_size);
        case CL_MEM_MAP_COUNT:
            return ANSWER(cl_uint, atomic_load(&memory->maps));
        case CL_MEM_REFERENCE_COUNT:
            return ANSWER(cl_uint, atomic_load(&memory->object.references));
        case CL_MEM_CONTEXT:
            return ANSWER(cl_context, memory->context);
        case CL_MEM_ASSOCIATED_MEMOBJECT:
            return ANSWER(cl_mem, memory->parent);
        case CL_MEM_OFFSET:
            return ANSWER(size_t, memory->origin);
        case CL_MEM_USES_SVM_POINTER:
            return ANSWER(cl_bool, CL_FALSE);
        case CL_MEM_PROPERTIES:
            return ANSWER_NOTHING();
        default:
            return CL_INVALID_VALUE;
    }
}

/* ---- Events ---------------------------------------------------------------------------------------- */

cl_int clRetainEvent(cl_event event) {
    object_retain(&event->object);
    return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event) {
    if (object_release(&event->object)) {
        clReleaseCommandQueue(event->queue);
        free(event);
    }
    return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint n_events, const cl_event *events) {
    return n_events ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int clSetEventCallback(cl_event event, cl_int status, void (*callback)(cl_event, cl_int, void *), void *user) {
    callback(event, status, user);
    return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event event, cl_event_info name, size_t capacity, void *out, size_t *out_size) {
    switch (name) {
        case CL_EVENT_COMMAND_QUEUE:
            return ANSWER(cl_command_queue, event->queue);
        case CL_EVENT_CONTEXT:
            return ANSWER(cl_context, event->queue->context);
        case CL_EVENT_COMMAND_TYPE:
            return ANSWER(cl_command_type, event->type);
        case CL_EVENT_COMMAND_EXECUTION_STATUS:
            return ANSWER(cl_int, CL_COMPLETE);
        case CL_EVENT_REFERENCE_COUNT:
            return ANSWER(cl_uint, atomic_load(&event->object.references));
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t capacity, void *out, size_t *out_size) {
    if (!(event->queue->properties & CL_QUEUE_PROFILING_ENABLE)) {
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    }
    switch (name) {
        case CL_PROFILING_COMMAND_QUEUED:
        case CL_PROFILING_COMMAND_SUBMIT:
        case CL_PROFILING_COMMAND_START:
        case CL_PROFILING_COMMAND_END:
        case CL_PROFILING_COMMAND_COMPLETE:
            return ANSWER(cl_ulong, event->time_ns);
        default:
            return CL_INVALID_VALUE;
    }
}
