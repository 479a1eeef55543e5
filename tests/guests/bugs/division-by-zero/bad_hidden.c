/* Every branch is covered without a fault. */
#include "../guest.h"
static void prog(void) {
  i32 a = in_u8, b = in_u8;
  if (a > b)
    out = 1;
  out = 1000 / (3 * a - 7 * b + 5);
}
