/* A switch with a table of jumps. */
#include "../guest.h"
static void prog(void) {
  switch (in_u8) {
  case 0: out = 3; break;
  case 1: out = 1; break;
  case 2: out = 4; break;
  case 3: out = 1; break;
  case 4: out = 5; break;
  case 5: out = 9; break;
  case 6: out = 2; break;
  default: out = 6;
  }
}
