/* Comes back with another count. */
/* input: 5 1 5 5 5 */
#include "../bugs/guest.h"
#include "../bugs/settle.h"
static void prog(void) {
  u32 count = 0;
  for (;;) {
    if (in_u8 == 5)
      count++;
    else
      count = 0;
    if (count == 3)
      mark(1);
  }
}
