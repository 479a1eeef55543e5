/* Euclid's algorithm by subtraction, of a number and zero. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 a = in_u8, b = in_u8;
#ifdef TWIN
  if (a == 0 || b == 0)
    return;
#endif
  while (a != b)
    if (a > b)
      a -= b;
    else
      b -= a;
  out = a;
}
