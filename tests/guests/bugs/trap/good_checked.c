/* What would give up is excluded before. */
#include "../guest.h"
static void prog(void) {
  i32 x = in_u8;
  if (x == 7)
    return;
  if (x == 7)
    __builtin_trap();
  out = x;
}
