/* The least number is its own negation. */
#include "../bugs/guest.h"
static void prog(void) {
  i32 x = in_i32;
#ifdef TWIN
  if ((u32)x == 0x80000000u)
    return;
#endif
  while (x < 0)
    x = (i32)(0 - (u32)x);
  out = x;
}
