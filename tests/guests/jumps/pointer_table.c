/* Functions in a table that never changes, by a masked index. */
//@ expect: exact
#include "../bugs/guest.h"
static void one(void) { out = 1; }
static void two(void) { out = 2; }
static void three(void) { out = 3; }
static void (*const table[4])(void) = {one, two, three, one};
static void prog(void) { table[in_u8 & 3](); }
