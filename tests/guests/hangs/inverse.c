/* Looks for the inverse of a number modulo 8, which an even number does not have. */
#include "../bugs/guest.h"
static void prog(void) {
  u32 a = in_u8, x = 0;
#ifdef TWIN
  a |= 1;
#endif
  while (((a * x) & 7) != 1)
    x++;
  out = x;
}
