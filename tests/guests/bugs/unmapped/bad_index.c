/* The index is not checked. */
#include "../guest.h"
static i32 table[4];
static void prog(void) { table[in_i32] = 1; }
