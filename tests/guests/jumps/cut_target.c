/* The index is a variable that holds zero or one: no path reaches the third label, although the table has it. */
//@ expect: exact
#include "../bugs/guest.h"
static i32 chosen;
static __attribute__((noinline)) void choose(void) { chosen = in_u8 & 1; }
static void prog(void) {
  static const void *const labels[3] = {&&first, &&second, &&third};
  choose();
  if ((unsigned)chosen > 2)
    return;
  goto *labels[chosen];
first:
  if (in_u8 == 3)
    out = 1;
  return;
second:
  if (in_u8 == 5)
    out = 2;
  return;
third:
  if (in_u8 == 7)
    out = 3;
}
