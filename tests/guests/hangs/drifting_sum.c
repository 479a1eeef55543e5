/* A weighted sum of two counters that stays below a limit. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 a = in_u8 & 15, b = 0;
  while ((u8)(a - 2 * b) < 20) {
#ifdef TWIN
    a += 1;
#else
    a += 2;
#endif
    b += 1;
  }
  out = b;
}
