/* No input comes there. */
#include "../guest.h"
static void prog(void) {
  i32 x = in_u8;
  if (x > 255)
    __builtin_trap();
  out = x;
}
