/* Pads a length to a multiple of four in steps of two. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 length = in_u8;
  while ((length & 3) != 0)
#ifdef TWIN
    length += 1;
#else
    length += 2;
#endif
  out = length;
}
