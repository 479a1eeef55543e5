/* An odd number is not even. */
#include "../guest.h"
static void prog(void) {
  i32 x = in_u8;
  if (((2 * x + 1) & 1) == 0)
    __builtin_trap();
  out = x;
}
