/* The check is for another value. */
#include "../guest.h"
static void prog(void) {
  i32 x = in_u8;
  if (x != 1)
    out = 100 / (x - 2);
}
