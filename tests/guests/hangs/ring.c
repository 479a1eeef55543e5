/* Takes two elements at a time from a ring of eight. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 head = in_u8 & 7, tail = in_u8 & 7;
  while (head != tail)
#ifdef TWIN
    head = (head + 1) & 7;
#else
    head = (head + 2) & 7;
#endif
  out = head;
}
