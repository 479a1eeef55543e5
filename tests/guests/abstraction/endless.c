/* A state machine that reads without end: no run of all paths ends, and a proof by inclusion does. */
/* input: 1 2 1 3 4 0 */
/* closed: yes */
#include "../bugs/guest.h"
static void prog(void) {
  u32 state = 0, count = 0;
  for (;;) {
    switch (in_u8) {
    case 1:
      state = 1;
      break;
    case 2:
      if (state == 1)
        state = 2;
      break;
    case 3:
      count = count < 3 ? count + 1 : 0;
      break;
    case 4:
      if (state > 2)
        out = 1; /* infeasible */
      if (count > 3)
        out = 2; /* infeasible */
      break;
    }
  }
}
