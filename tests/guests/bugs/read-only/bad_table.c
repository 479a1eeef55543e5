/* A constant table is written. */
#include "../guest.h"
static const u8 table[4] = {1, 2, 3, 4};
static void prog(void) { ((volatile u8 *)table)[in_u8 & 3] = 9; }
