/* Counts the digits of a number in a base, which may be one. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 base = in_u8 & 7, digits = 0;
  if (base == 0)
    return;
#ifdef TWIN
  base++;
#endif
  for (u32 n = 200; n != 0; n /= base)
    digits++;
  out = digits;
}
