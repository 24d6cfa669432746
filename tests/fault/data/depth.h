#ifndef DEPTH
#define DEPTH 4
#endif
