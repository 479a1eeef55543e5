/* Odd numbers are not zero. */
#include "../guest.h"
static void prog(void) { out = 100 / (in_i32 | 1); }
