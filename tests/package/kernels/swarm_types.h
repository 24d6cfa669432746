/* Types of swarm.cl. */
#pragma once
#define STEP 2
typedef int index_t;
typedef float4 color_t;
typedef struct pair {
    float first;
    float second[2]; // of two
} pair_t;
typedef struct __attribute__((packed)) { char tag; int value; } packed_t;
typedef struct { char tag; int value __attribute__((aligned(16))); } spread_t;
struct nest {
    const pair_t inner[2];
    unsigned short grid[2][3], more;
    float2 at;
};
typedef struct {
    union { int whole; float real; } as;
    char tag;
} choice_t;
#ifdef NO_COMPILER_DEFINES_THIS
typedef struct { char other; } wide_t;
#else
typedef struct { float8 wide; int end; } wide_t;
#endif
