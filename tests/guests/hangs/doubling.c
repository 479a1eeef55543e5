/* Doubles a number of 8 bits until it reaches a limit, which it may jump over to zero. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 limit = in_u8;
#ifdef TWIN
  u32 x = 1;
  while (x < limit)
#else
  u8 x = 1;
  while (x < limit)
#endif
    x *= 2;
  out = x;
}
