/* Functions in a table that the program fills. */
//@ expect: exact
#include "../bugs/guest.h"
static void one(void) { out = 1; }
static void two(void) { out = 2; }
static void (*table[2])(void);
static void prog(void) {
  table[0] = one;
  table[1] = two;
  table[in_u8 & 1]();
}
