/* The table is shorter than the index says. */
#include "../guest.h"
static void one(void) { out = 1; }
static void two(void) { out = 2; }
static void (*table[8])(void) = {one, two};
static void prog(void) { table[in_u8 & 7](); }
