/* The range excludes zero. */
#include "../guest.h"
static void prog(void) {
  i32 x = in_u8;
  if (x > 10 && x < 20)
    out = 100 / (x - 10);
}
