/* Every case is there. */
#include "../guest.h"
static void prog(void) {
  switch (in_u8 & 1) {
  case 0:
    out = 1;
    break;
  case 1:
    out = 2;
    break;
  default:
    __builtin_trap();
  }
}
