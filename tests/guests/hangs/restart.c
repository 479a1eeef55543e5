/* A counter that starts anew at a number that it passes each time. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 key = in_u8, i = 0, restarts = 0;
  while (i < 10) {
    i++;
#ifdef TWIN
    if (i == key && restarts++ < 2)
#else
    if (i == key)
#endif
      i = 0;
  }
  out = restarts;
}
