/* Zero is excluded. */
#include "../guest.h"
static void prog(void) {
  i32 x = in_i32;
  if (x)
    out = 100 / x;
}
