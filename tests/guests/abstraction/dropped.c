/* A path that computes an address from what was merged is dropped, as the last one of its partition; it is explored anew. */
/* input: 3 77 0 */
#include "../bugs/guest.h"
static volatile u8 buffer[4] = {1, 0, 0, 0};
static void prog(void) {
  volatile u32 index = 0, mask = 0;
  for (;;) {
    u8 chosen = in_u8;
    if (chosen == 77) {
      u32 held = buffer[index];
      for (volatile u32 once = 0; once < 1; once++)
        ;
      if (held & mask)
        out = 1;
    } else if (chosen == 1)
      index = 1;
    else if (chosen == 3)
      mask = 1;
  }
}
