/* Three times an odd number is odd. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 x = in_u8;
  while (x != 0)
#ifdef TWIN
    x *= 2;
#else
    x *= 3;
#endif
  out = x;
}
