/* Reverses a list in place, which has a cycle if an element is its own successor. */
#include "../bugs/guest.h"
static u8 next[4];
static void prog(void) {
  for (u8 i = 0; i < 3; i++)
    next[i] = i + 1;
  next[3] = 255;
  u8 where = in_u8 & 3, to = in_u8 & 3;
#ifdef TWIN
  if (to <= where)
    return;
#endif
  next[where] = to;
  u8 at = 0, n = 0;
  while (at != 255) {
    at = next[at];
    n++;
  }
  out = n;
}
