/* weft/buffer.h: device buffers, pinned host buffers, and copies and fills between them.
 *
 * The model's DeviceBuffer and HostBuffer. A buffer is a dtype and a length over memory that it shares
 * with its views; a view holds what it needs of its parent, so handles may be released in any order.
 * Memory from `create` holds unspecified values. Length 0 is legal everywhere.
 *
 * Copies and fills run on a context's queue, in order with everything else enqueued there:
 *  - Copies may overlap; the result is as through a temporary.
 *  - A copy between contexts, devices or platforms comes after what was enqueued before it on the
 *    contexts of both buffers, and what is enqueued on either of them later sees it. Between devices it
 *    blocks.
 *  - Copies with host buffers never block. A host buffer's memory may be read or written by the program
 *    only when no enqueued copy uses it: weft_synchronize first.
 *  - Copies with pageable host memory may block. Host-to-device returns once the source is captured, so
 *    it may be reused at once. Device-to-host is complete after weft_synchronize; the destination must
 *    live until then.
 *  - If the driver itself fails midway, the destination's content is unspecified.
 */
#ifndef WEFT_BUFFER_H
#define WEFT_BUFFER_H

#include <stdio.h>

#include <weft/context.h>
#include <weft/dtype.h>
#include <weft/scalar.h>
#include <weft/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_device_buffer weft_device_buffer;
typedef struct weft_host_buffer weft_host_buffer;

/* ---- Creation ------------------------------------------------------------------------------------ */

/* Creates a device buffer of length elements; its contents are unspecified. The caller owns *out. It may
 * be used by work enqueued on this context at once. Does not block.
 * Errors: INVALID_ARGUMENT (NULL); TYPE_MISMATCH (no such dtype); OUT_OF_RANGE (length times the dtype's size
 * overflows); OUT_OF_HOST_MEMORY; OUT_OF_DEVICE_MEMORY (the message gives the size asked for, the largest
 * allocation and the device's memory); DRIVER.
 * Source: DeviceContext.enqueue_create_buffer. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_create_buffer(weft_context *context, weft_dtype dtype, size_t length,
                                                               weft_device_buffer **out);

/* The same, and blocks until the memory is there, so that any context may use it.
 * Errors: as weft_enqueue_create_buffer and weft_synchronize. Source: DeviceContext.create_buffer_sync. */
WEFT_API WEFT_NODISCARD weft_status weft_create_buffer_sync(weft_context *context, weft_dtype dtype, size_t length,
                                                            weft_device_buffer **out);

/* Creates a host buffer of length elements in memory that the device copies from and to fastest (pinned
 * where the driver pins). Usable from creation, aligned to 64 bytes or more. The caller owns *out.
 * Errors: INVALID_ARGUMENT (NULL); TYPE_MISMATCH (no such dtype); OUT_OF_RANGE; OUT_OF_HOST_MEMORY; DRIVER.
 * Source: DeviceContext.enqueue_create_host_buffer. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_create_host_buffer(weft_context *context, weft_dtype dtype, size_t length,
                                                                    weft_host_buffer **out);

/* Makes a host buffer of length elements over memory of the caller's, which must outlive the buffer, its
 * views and the copies that use it. data may be NULL only when length is 0, and must be aligned to the
 * dtype's size. The caller owns *out, not the buffer data. Immediate.
 * Errors: INVALID_ARGUMENT (NULL, misaligned); TYPE_MISMATCH (no such dtype); OUT_OF_RANGE; OUT_OF_HOST_MEMORY.
 * Source: DeviceContext.wrap_host_memory. */
WEFT_API WEFT_NODISCARD weft_status weft_wrap_host_memory(weft_context *context, weft_dtype dtype, void *data, size_t length,
                                                          weft_host_buffer **out);

/* ---- Lifetime and queries ------------------------------------------------------------------------ */

/* Adds a reference and returns the buffer; NULL gives NULL. Immediate, never fail. */
WEFT_API weft_device_buffer *weft_device_buffer_retain(weft_device_buffer *buffer);
WEFT_API weft_host_buffer *weft_host_buffer_retain(weft_host_buffer *buffer);

/* Drops a reference; NULL does nothing. Enqueued work that uses the buffer runs to its end with it.
 * Immediate, never fail. Source: DeviceBuffer.__del__. */
WEFT_API void weft_device_buffer_release(weft_device_buffer *buffer);
WEFT_API void weft_host_buffer_release(weft_host_buffer *buffer);

/* Length in elements, dtype, and size in bytes. NULL gives 0, WEFT_INT8 and 0. Immediate, never fail. */
WEFT_API size_t weft_device_buffer_length(weft_device_buffer *buffer);
WEFT_API size_t weft_host_buffer_length(weft_host_buffer *buffer);
WEFT_API weft_dtype weft_device_buffer_dtype(weft_device_buffer *buffer);
WEFT_API weft_dtype weft_host_buffer_dtype(weft_host_buffer *buffer);
WEFT_API size_t weft_device_buffer_size_bytes(weft_device_buffer *buffer);
WEFT_API size_t weft_host_buffer_size_bytes(weft_host_buffer *buffer);

/* The context the buffer belongs to; views report their parent's. Borrowed: valid while the buffer lives
 * and is not reassigned. NULL gives NULL. Immediate, never fail. Source: DeviceBuffer.context. */
WEFT_API weft_context *weft_device_buffer_context(weft_device_buffer *buffer);
WEFT_API weft_context *weft_host_buffer_context(weft_host_buffer *buffer);

/* The host buffer's first element. Borrowed for the buffer's life, stable, never NULL for a live buffer
 * that weft made; NULL gives NULL. Immediate, never fails. Source: HostBuffer.unsafe_ptr, as_span. */
WEFT_API void *weft_host_buffer_data(weft_host_buffer *buffer);

/* ---- Views --------------------------------------------------------------------------------------- */

/* Makes a view of length elements of view_dtype, starting offset elements of view_dtype into the buffer
 * (which may itself be a view). The view shares the memory and holds it; the caller owns *out. Any offset
 * works in every copy, fill, map and print, and as a kernel argument on every device. Immediate.
 * Errors: INVALID_ARGUMENT (NULL); TYPE_MISMATCH (no such dtype); OUT_OF_RANGE (offset + length beyond the
 * buffer); OUT_OF_HOST_MEMORY.
 * Source: DeviceBuffer.create_sub_buffer. */
WEFT_API WEFT_NODISCARD weft_status weft_device_buffer_create_sub_buffer(weft_device_buffer *buffer, weft_dtype view_dtype,
                                                                         size_t offset, size_t length,
                                                                         weft_device_buffer **out);
WEFT_API WEFT_NODISCARD weft_status weft_host_buffer_create_sub_buffer(weft_host_buffer *buffer, weft_dtype view_dtype,
                                                                       size_t offset, size_t length, weft_host_buffer **out);

/* ---- Ownership and raw memory -------------------------------------------------------------------- */

/* Moves the buffer to another context: work enqueued on the new context waits for what the old one has
 * enqueued. To another device the contents move too, which blocks, also for an empty buffer, and nobody else
 * may be using it meanwhile.
 * Errors: INVALID_ARGUMENT (NULL); UNSUPPORTED (another device, while other references or views exist);
 * OUT_OF_DEVICE_MEMORY; EXECUTION_FAILED; DRIVER. The buffer then is as it was.
 * Source: DeviceBuffer.reassign_ownership_to. */
WEFT_API WEFT_NODISCARD weft_status weft_device_buffer_reassign_ownership_to(weft_device_buffer *buffer,
                                                                             weft_context *context);

/* Raw device memory: an OpenCL memory object and a byte offset into it. Arithmetic on offset_bytes is
 * allowed, as on a pointer. */
typedef struct weft_device_ptr {
    struct _cl_mem *mem;
    size_t offset_bytes;
} weft_device_ptr;

/* The buffer's memory. Borrowed for the buffer's life. Immediate.
 * Errors: INVALID_ARGUMENT (NULL). Source: DeviceBuffer.unsafe_ptr. */
WEFT_API WEFT_NODISCARD weft_status weft_device_buffer_unsafe_ptr(weft_device_buffer *buffer, weft_device_ptr *out);

/* Gives up ownership: the handle is consumed, the memory lives on until weft_wrap_device_ptr takes it back
 * with owning = true and that buffer is released. Immediate.
 * Errors: INVALID_ARGUMENT (NULL; other references or views exist; the handle is a view). The handle then is still the caller's.
 * Source: DeviceBuffer.take_ptr. */
WEFT_API WEFT_NODISCARD weft_status weft_device_buffer_take_ptr(weft_device_buffer *buffer, weft_device_ptr *out);

/* Makes a buffer of length elements over memory that weft gave with unsafe_ptr or take_ptr, on the
 * context's device. owning takes back what take_ptr gave; otherwise the buffer is one more view of the
 * memory, which it holds. The caller owns *out. Immediate.
 * Errors: INVALID_ARGUMENT (NULL; ptr is not live memory of weft's on this device; owning without take_ptr,
 * or twice); TYPE_MISMATCH (no such dtype); OUT_OF_RANGE (beyond the memory's end); OUT_OF_HOST_MEMORY.
 * Source: DeviceBuffer(ctx, ptr, size, owning=). */
WEFT_API WEFT_NODISCARD weft_status weft_wrap_device_ptr(weft_context *context, weft_device_ptr ptr, weft_dtype dtype,
                                                         size_t length, bool owning, weft_device_buffer **out);

/* ---- Mapping ------------------------------------------------------------------------------------- */

/* Copies the buffer out into a new host buffer of the same dtype and length and waits for it. The caller
 * owns *out and hands it to weft_device_buffer_unmap; the device buffer is not to be used elsewhere until
 * then. Blocks.
 * Errors: INVALID_ARGUMENT (NULL); OUT_OF_HOST_MEMORY; OUT_OF_DEVICE_MEMORY; EXECUTION_FAILED; DRIVER.
 * Source: DeviceBuffer.map_to_host (enter). */
WEFT_API WEFT_NODISCARD weft_status weft_device_buffer_map_to_host(weft_device_buffer *buffer, weft_host_buffer **out);

/* Copies the mapped contents back and waits for it; then, also on failure of the driver, drops the caller's
 * reference to mapped. Blocks.
 * Errors: INVALID_ARGUMENT (NULL, or mapped is not a mapping of this buffer; mapped then is still the
 * caller's); EXECUTION_FAILED; DRIVER.
 * Source: DeviceBuffer.map_to_host (exit). */
WEFT_API WEFT_NODISCARD weft_status weft_device_buffer_unmap(weft_device_buffer *buffer, weft_host_buffer *mapped);

/* ---- Printing ------------------------------------------------------------------------------------ */

/* Receives text in pieces (bytes of it, not NUL-terminated); returns WEFT_OK to go on, anything else to stop. */
typedef weft_status (*weft_writer)(void *user, const char *text, size_t size_bytes);

/* Writes the buffer as the model prints it, without a newline: DeviceBuffer([0.0, 1.0, 2.0]); from 1000
 * elements on only the first and last three: HostBuffer([0, 1, 2, ..., 998, 999, 1000]). A device buffer is
 * copied out first, which blocks.
 * Errors: INVALID_ARGUMENT (NULL); IO (the stream or the writer failed); OUT_OF_HOST_MEMORY; EXECUTION_FAILED; DRIVER.
 * Source: DeviceBuffer.write_to. */
WEFT_API WEFT_NODISCARD weft_status weft_device_buffer_write_to(weft_device_buffer *buffer, FILE *stream);
WEFT_API WEFT_NODISCARD weft_status weft_host_buffer_write_to(weft_host_buffer *buffer, FILE *stream);

/* The same through any writer; user is passed on to it. A writer's own status is not replaced: the call
 * returns IO when the writer returned something else than WEFT_OK. */
WEFT_API WEFT_NODISCARD weft_status weft_device_buffer_write_with(weft_device_buffer *buffer, weft_writer writer, void *user);
WEFT_API WEFT_NODISCARD weft_status weft_host_buffer_write_with(weft_host_buffer *buffer, weft_writer writer, void *user);

/* ---- Operands of copies and fills ----------------------------------------------------------------- */

/* One side of a copy: a device buffer, a host buffer, or host memory. The macros below make it; callers
 * without macros use the weft_memory_from_ functions. */
typedef enum weft_memory_kind {
    WEFT_MEMORY_NONE,
    WEFT_MEMORY_DEVICE_BUFFER, /* object is a weft_device_buffer */
    WEFT_MEMORY_HOST_BUFFER,   /* object is a weft_host_buffer */
    WEFT_MEMORY_POINTER        /* object is host memory */
} weft_memory_kind;

typedef struct weft_memory {
    weft_memory_kind kind;
    uint32_t dtypes;  /* POINTER: bit d set when elements of weft_dtype d may be there */
    size_t length;    /* POINTER: elements; SIZE_MAX when not known */
    bool read_only;   /* POINTER: to const */
    const void *object;
} weft_memory;

#define WEFT_LENGTH_UNKNOWN SIZE_MAX
#define WEFT_DTYPE_BIT(dtype) (UINT32_C(1) << (dtype))
#define WEFT_ANY_DTYPE UINT32_C(0xFFF)

WEFT_API weft_memory weft_memory_from_device_buffer(weft_device_buffer *buffer);
WEFT_API weft_memory weft_memory_from_host_buffer(weft_host_buffer *buffer);
/* dtypes: an or of WEFT_DTYPE_BIT, or WEFT_ANY_DTYPE. length in elements of the buffer's dtype, or WEFT_LENGTH_UNKNOWN. */
WEFT_API weft_memory weft_memory_from_pointer(void *data, uint32_t dtypes, size_t length);
WEFT_API weft_memory weft_memory_from_const_pointer(const void *data, uint32_t dtypes, size_t length);

/* ---- Fills ---------------------------------------------------------------------------------------- */

/* weft_enqueue_fill(buffer, value): sets every element of a device or host buffer to value, on the buffer's
 * context. weft_enqueue_fill_range(buffer, offset, length, value): elements offset .. offset + length - 1.
 * A value of the buffer's own type is copied bitwise (NaN payloads, -0.0); a floating value rounds to
 * nearest in a floating dtype; anything else must be exact. Enqueues.
 * Errors: INVALID_ARGUMENT (NULL); OUT_OF_RANGE (the range; a value beyond the dtype: 300 or NaN into uint8,
 * 1e300 into float32); TYPE_MISMATCH (a value that would be inexact: 1.5 into int32); OUT_OF_HOST_MEMORY;
 * OUT_OF_DEVICE_MEMORY; DRIVER.
 * Source: DeviceContext.enqueue_memset, DeviceBuffer.enqueue_fill. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_fill_scalar(weft_memory buffer, weft_scalar value);
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_fill_range_scalar(weft_memory buffer, size_t offset, size_t length,
                                                                   weft_scalar value);
#define weft_enqueue_fill(buffer, value) weft_enqueue_fill_scalar(WEFT_BUFFER(buffer), WEFT_SCALAR(value))
#define weft_enqueue_memset(buffer, value) weft_enqueue_fill(buffer, value)
#define weft_enqueue_fill_range(buffer, offset, length, value) \
    weft_enqueue_fill_range_scalar(WEFT_BUFFER(buffer), offset, length, WEFT_SCALAR(value))

/* weft_enqueue_fill_bytes(buffer, offset_bytes, pattern, pattern_bytes, count): writes pattern count times,
 * from byte offset_bytes on, into a device or host buffer of any dtype. The pattern, 1 to 4096 bytes, is
 * captured at the call. Enqueues.
 * Errors: INVALID_ARGUMENT (NULL); OUT_OF_RANGE (pattern_bytes, or the range); OUT_OF_HOST_MEMORY;
 * OUT_OF_DEVICE_MEMORY; DRIVER.
 * Source: clEnqueueFillBuffer (OpenCL 5.2.2), without its limits on the pattern. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_fill_memory(weft_memory buffer, size_t offset_bytes, const void *pattern,
                                                             size_t pattern_bytes, size_t count);
#define weft_enqueue_fill_bytes(buffer, offset_bytes, pattern, pattern_bytes, count) \
    weft_enqueue_fill_memory(WEFT_BUFFER(buffer), offset_bytes, pattern, pattern_bytes, count)

/* ---- Copies --------------------------------------------------------------------------------------- */

/* weft_enqueue_copy(context, dst, src): copies src to dst on the context's queue. Each of dst and src is a
 * device buffer, a host buffer, a host pointer (T *, T matching the buffer's dtype; void * matches all,
 * uint16_t * also both 16-bit floats, char * both 8-bit integers) or WEFT_SPAN(pointer, length); at least
 * one is a buffer. How many elements: between buffers dst's length, and src must be at least as long; with
 * a bare pointer the buffer's length; with a span the buffer's length, and the span must be at least as long.
 * Errors: INVALID_ARGUMENT (NULL; two host pointers; a span of const memory as dst); TYPE_MISMATCH (dtypes differ);
 * OUT_OF_RANGE (the source or the span is too short: the message names both lengths); OUT_OF_HOST_MEMORY;
 * OUT_OF_DEVICE_MEMORY; EXECUTION_FAILED; DRIVER.
 * Source: DeviceContext.enqueue_copy. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_copy_memory(weft_context *context, weft_memory dst, weft_memory src);
#define weft_enqueue_copy(context, dst, src) weft_enqueue_copy_memory(context, WEFT_DESTINATION(dst), WEFT_SOURCE(src))

/* weft_enqueue_copy_range(context, dst, dst_offset, src, src_offset, length): the same for length elements
 * from src_offset to dst_offset, both in elements. Errors: as weft_enqueue_copy; OUT_OF_RANGE for a range
 * beyond a buffer or span. */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_copy_range_memory(weft_context *context, weft_memory dst, size_t dst_offset,
                                                                   weft_memory src, size_t src_offset, size_t length);
#define weft_enqueue_copy_range(context, dst, dst_offset, src, src_offset, length) \
    weft_enqueue_copy_range_memory(context, WEFT_DESTINATION(dst), dst_offset, WEFT_SOURCE(src), src_offset, length)

/* Where a box of elements lies in a buffer or behind a pointer. All zero: from the first element on, without gaps. */
typedef struct weft_rect {
    size_t offset;      /* elements before the first one */
    size_t row_pitch;   /* elements from a row to the next; 0: width */
    size_t slice_pitch; /* elements from a slice to the next; 0: row_pitch times height */
} weft_rect;

/* weft_enqueue_copy_rect(context, dst, dst_rect, src, src_rect, width, height, depth): copies depth slices of height rows of
 * width elements; depth 1 copies a rectangle. Each rect is a const weft_rect *, NULL for all zero; what is not in the box
 * is not touched. WEFT_RECT(offset, row_pitch, slice_pitch) makes one in place. Sides, order and overlap are as for
 * weft_enqueue_copy. A width, height or depth of 0 copies nothing.
 * Errors: as weft_enqueue_copy; INVALID_ARGUMENT (a pitch shorter than the row or slice); OUT_OF_RANGE (the box ends beyond
 * a buffer or span).
 * Source: cudaMemcpy3DAsync; clEnqueueCopyBufferRect and its siblings (OpenCL 5.2.2). */
WEFT_API WEFT_NODISCARD weft_status weft_enqueue_copy_rect_memory(weft_context *context, weft_memory dst, const weft_rect *dst_rect,
                                                                  weft_memory src, const weft_rect *src_rect, size_t width,
                                                                  size_t height, size_t depth);
#ifdef __cplusplus
static inline const weft_rect *weft_rect_address(const weft_rect &rect) { return &rect; }
#define WEFT_RECT(offset, row_pitch, slice_pitch) weft_rect_address(weft_rect{offset, row_pitch, slice_pitch})
#else
#define WEFT_RECT(offset, row_pitch, slice_pitch) (&(const weft_rect){offset, row_pitch, slice_pitch})
#endif
#define weft_enqueue_copy_rect(context, dst, dst_rect, src, src_rect, width, height, depth) \
    weft_enqueue_copy_rect_memory(context, WEFT_DESTINATION(dst), dst_rect, WEFT_SOURCE(src), src_rect, width, height, depth)

/* weft_K_buffer_enqueue_copy_to(buffer, dst), weft_K_buffer_enqueue_copy_from(buffer, src): weft_enqueue_copy
 * on this buffer's own context. Source: DeviceBuffer.enqueue_copy_to, enqueue_copy_from. */
WEFT_API WEFT_NODISCARD weft_status weft_device_buffer_enqueue_copy_to_memory(weft_device_buffer *buffer, weft_memory dst);
WEFT_API WEFT_NODISCARD weft_status weft_device_buffer_enqueue_copy_from_memory(weft_device_buffer *buffer, weft_memory src);
WEFT_API WEFT_NODISCARD weft_status weft_host_buffer_enqueue_copy_to_memory(weft_host_buffer *buffer, weft_memory dst);
WEFT_API WEFT_NODISCARD weft_status weft_host_buffer_enqueue_copy_from_memory(weft_host_buffer *buffer, weft_memory src);
#define weft_device_buffer_enqueue_copy_to(buffer, dst) weft_device_buffer_enqueue_copy_to_memory(buffer, WEFT_DESTINATION(dst))
#define weft_device_buffer_enqueue_copy_from(buffer, src) weft_device_buffer_enqueue_copy_from_memory(buffer, WEFT_SOURCE(src))
#define weft_host_buffer_enqueue_copy_to(buffer, dst) weft_host_buffer_enqueue_copy_to_memory(buffer, WEFT_DESTINATION(dst))
#define weft_host_buffer_enqueue_copy_from(buffer, src) weft_host_buffer_enqueue_copy_from_memory(buffer, WEFT_SOURCE(src))

/* The two ends of WEFT_WITH_MAPPED; begin returns NULL when mapping failed. *status gets the first failure. */
WEFT_API weft_host_buffer *weft_mapping_begin(weft_status *status, weft_device_buffer *buffer);
WEFT_API void weft_mapping_end(weft_status *status, weft_device_buffer *buffer, weft_host_buffer *mapped);

#ifdef __cplusplus
}
#endif

#include <weft/operands.h>

#endif
