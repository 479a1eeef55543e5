/* A function that is handed down two calls. */
//@ expect: exact
#include "../bugs/guest.h"
static i32 twice(i32 x) { return 2 * x; }
static i32 square(i32 x) { return x * x; }
static i32 __attribute__((noinline)) apply(i32 (*function)(i32), i32 x) { return function(x); }
static i32 __attribute__((noinline)) both(i32 (*function)(i32), i32 x) { return apply(function, apply(function, x)); }
static void prog(void) { out = both(in_u8 > 7 ? twice : square, 3); }
