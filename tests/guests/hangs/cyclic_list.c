/* A list whose last element leads back into it. */
#include "../bugs/guest.h"
#ifdef TWIN
static const u8 next[8] = {1, 2, 3, 7, 5, 6, 7, 7};
#else
static const u8 next[8] = {1, 2, 3, 7, 5, 6, 4, 7};
#endif
static void prog(void) {
  u8 i = in_u8 & 7;
  while (i != 7)
    i = next[i];
  out = i;
}
