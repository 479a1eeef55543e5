/* Two inputs together. */
#include "../guest.h"
static void prog(void) {
  i32 a = in_u8, b = in_u8;
  if (3 * a + 5 * b == 111)
    __builtin_trap();
  out = a - b;
}
