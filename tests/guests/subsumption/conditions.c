/* The first value is large, and a later one need not be. */
/* input: 120 30 0 */
#include "../bugs/guest.h"
#include "../bugs/settle.h"
static void prog(void) {
  u8 last = 255;
  for (u32 begun = 0;; begun = 1) {
    if (last < 50)
      mark(1);
    last = in_u8;
    if (!begun && last < 100)
      return;
    settle();
  }
}
