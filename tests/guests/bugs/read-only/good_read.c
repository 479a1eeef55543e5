/* A constant table is read. */
#include "../guest.h"
static const u8 table[4] = {1, 2, 3, 4};
static void prog(void) { out = table[in_u8 & 3]; }
