#pragma once
#include "depth.h"
typedef struct shape { int width; char depth[DEPTH]; } shape_t;
