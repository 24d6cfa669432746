/* weft/weft.h: the whole host interface.
 *
 * Rules that hold everywhere stand at the head of weft/status.h.
 */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <weft/buffer.h>
#include <weft/cache.h>
#include <weft/context.h>
#include <weft/device.h>
#include <weft/dtype.h>
#include <weft/event.h>
#include <weft/function.h>
#include <weft/graph.h>
#include <weft/kernel_set.h>
#include <weft/launch.h>
#include <weft/operands.h>
#include <weft/scalar.h>
#include <weft/status.h>
#include <weft/tensor.h>
#include <weft/trace.h>

#endif
