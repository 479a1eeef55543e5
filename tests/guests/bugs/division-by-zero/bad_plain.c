/* The divisor is input. */
#include "../guest.h"
static void prog(void) { out = 100 / in_i32; }
