/* A word has two values that are far apart, so that each of its bytes is kept apart; a value between them arrives later. */
/* input: 1 3 */
#include "../bugs/guest.h"
static void prog(void) {
  u32 word = 0;
  for (;;) {
    u8 chosen = in_u8;
    if (word == 0x55)
      out = 2;
    if (chosen == 1)
      word = 0x10100;
    else if (chosen == 3 && word == 0x10100)
      word = 0x55;
  }
}
