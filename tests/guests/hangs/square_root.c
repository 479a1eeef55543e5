/* Newton's method for integers oscillates between two numbers where the root is not one. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 n = in_u8;
  u32 x = n, y = (n + 1) / 2;
#ifdef TWIN
  while (y < x) {
#else
  while (y != x) {
#endif
    x = y;
    y = (x + n / x) / 2;
  }
  out = x;
}
