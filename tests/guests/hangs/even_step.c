/* Counts down in steps of two to zero, which an odd number misses for ever. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 n = in_u8;
  while (n != 0)
#ifdef TWIN
    n -= 1;
#else
    n -= 2;
#endif
  out = n;
}
