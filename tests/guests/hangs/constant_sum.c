/* What one number loses the other gains, so that their sum stays. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 a = in_u8, b = in_u8;
  while ((u8)(a + b) != 10) {
    a++;
#ifdef TWIN
    b += 0;
#else
    b--;
#endif
  }
  out = a;
}
