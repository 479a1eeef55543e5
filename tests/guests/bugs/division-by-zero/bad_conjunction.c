/* Two inputs that have nothing else in common decide together. */
#include "../guest.h"
static void prog(void) {
  u8 x = in_u8, y = in_u8;
  out = 100 / (1 - ((x == 17) & (y == 18)));
}
