/* Shifts until one bit is left, of a number that may have none. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 x = in_u8;
#ifdef TWIN
  while (x > 1)
#else
  while (x != 1)
#endif
    x >>= 1;
  out = x;
}
