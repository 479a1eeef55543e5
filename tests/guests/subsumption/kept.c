/* The first value is kept, and at first the last one is the same: both may differ only later. */
/* input: 9 7 0 */
#include "../bugs/guest.h"
#include "../bugs/settle.h"
static void prog(void) {
  u8 first = 0, last = 0;
  for (u32 begun = 0;; begun = 1) {
    if (last != first)
      mark(1);
    last = in_u8;
    if (!begun)
      first = last;
    settle();
  }
}
