/* A jump through a table, without a check of its bounds. */
//@ expect: not exact
#include "../bugs/guest.h"
static void one(void) { out = 1; }
static void two(void) { out = 2; }
static void (*const table[2])(void) = {one, two};
static void prog(void) { table[in_i32](); }
