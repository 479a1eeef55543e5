/* Two values that are read together, and what their sum is. */
/* input: 3 4 200 55 1 6 */
#include "../bugs/guest.h"
#include "../bugs/settle.h"
static void prog(void) {
  u8 first = 0, second = 0;
  for (;;) {
    if (first + second == 255)
      mark(1);
    if (first > 100 && second > 100)
      mark(2);
    first = in_u8;
    second = in_u8;
    if (first < second)
      mark(3);
    settle();
  }
}
