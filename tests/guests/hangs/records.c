/* Records with their length in front; that of one is zero. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 data[8] = {2, 0, 3, 0, 0, 1, 1, 1};
  data[5] = in_u8 & 3;
  u8 at = 0;
  while (at < 8)
#ifdef TWIN
    at += data[at] + 1;
#else
    at += data[at];
#endif
  out = at;
}
