/* Shifts until the lowest bit is set, of a number that may have none. */
#include "../bugs/guest.h"
static void prog(void) {
  i32 x = in_i32, n = 0;
#ifdef TWIN
  if (x == 0)
    return;
#endif
  while (!(x & 1)) {
    x = (u32)x >> 1;
    n++;
  }
  out = n;
}
