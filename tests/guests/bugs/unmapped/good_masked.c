/* The index is masked. */
#include "../guest.h"
static i32 table[16];
static void prog(void) { table[in_i32 & 15] = 1; }
