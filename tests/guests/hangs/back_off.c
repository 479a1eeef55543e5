/* A delay of 8 bits that doubles until it is long enough, and is zero before that. */
#include "../bugs/guest.h"
static void prog(void) {
#ifdef TWIN
  u32 delay = in_u8 | 1;
#else
  u8 delay = in_u8;
#endif
  while (delay < 200)
    delay *= 2;
  out = delay;
}
