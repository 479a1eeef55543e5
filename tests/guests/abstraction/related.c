/* Two words hold the same input on one path; on another, each holds a value of its own, and both are values of the first. */
/* input: 5 7 0 */
#include "../bugs/guest.h"
volatile u8 left, right;
static void prog(void) {
  for (;;) {
    u8 chosen = in_u8;
    if (left != right)
      out = 2;
    left = chosen;
    right = chosen;
    if (chosen == 7)
      right = 9;
  }
}
