/* A step that is an input, and may be zero. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 step = in_u8;
#ifdef TWIN
  step |= 64;
#endif
  for (u32 t = 0; t < 1000; t += step)
    out = t;
}
