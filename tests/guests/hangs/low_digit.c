/* Adds two until the low digit is odd. */
#include "../bugs/guest.h"
static void prog(void) {
  i32 x = in_i32;
  while ((x & 15) != 5)
#ifdef TWIN
    x += 1;
#else
    x += 2;
#endif
  out = x;
}
