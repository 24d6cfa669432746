/* A second file that includes the header: both share what was compiled. */
#include <weft/weft.h>

#include "swarm.h"

weft_status advance_elsewhere(weft_context *ctx, weft_device_buffer *data);

weft_status advance_elsewhere(weft_context *ctx, weft_device_buffer *data) {
    pair_t by = {0, {0, 1}};
    return advance(ctx, WEFT_DIM(1), WEFT_DIM(4), data, 3, 1.0f, by, 4 * sizeof(float));
}
