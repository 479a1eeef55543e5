/* Toggles two bits until the number is another one. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 x = in_u8, y = in_u8;
#ifdef TWIN
  for (u8 i = 0; x != y && i < 2; i++)
#else
  while (x != y)
#endif
    x ^= 3;
  out = x;
}
