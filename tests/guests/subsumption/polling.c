/* Polls a status, then reacts to data without end: every path comes back to a state that it was in. */
/* input: 0 0 1 5 0 255 */
/* closed: yes */
#include "../bugs/guest.h"
static void prog(void) {
  while (!(in_u8 & 1))
    ;
  out = 0;
  for (;;) {
    u8 x = in_u8;
    if (x == 5)
      out = 1;
    else if (x > 200)
      out = 2;
    if (out == 3)
      out = 4; /* infeasible */
  }
}
