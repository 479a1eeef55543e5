/* Two numbers that grow alike do not meet. */
#include "../bugs/guest.h"
static void prog(void) {
  i32 x = in_u8, y = in_u8;
#ifdef TWIN
  if (x != y)
    return;
#endif
  while (x != y) {
    x++;
    y++;
  }
  out = x;
}
