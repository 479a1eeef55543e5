/* Calls are nested as deeply as input says. */
#include "../guest.h"
static i32 __attribute__((noinline)) factorial(i32 n) { return n ? n * factorial(n - 1) : 1; }
static void prog(void) { out = factorial(in_u8 & 7); }
