/* A switch that gives up where it has no case. */
#include "../guest.h"
static void prog(void) {
  switch (in_u8 & 3) {
  case 0:
    out = 1;
    break;
  case 1:
    out = 2;
    break;
  case 2:
    out = 3;
    break;
  default:
    __builtin_trap();
  }
}
