/* The index fits the table. */
#include "../guest.h"
static void one(void) { out = 1; }
static void two(void) { out = 2; }
static void (*table[2])(void) = {one, two};
static void prog(void) { table[in_u8 & 1](); }
