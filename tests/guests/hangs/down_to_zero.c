/* An unsigned number is never below zero. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 low = in_u8 & 0, i = in_u8;
#ifdef TWIN
  while (i > low)
#else
  while (i >= low)
#endif
    out = --i;
}
