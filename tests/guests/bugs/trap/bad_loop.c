/* Only after several rounds. */
#include "../guest.h"
static void prog(void) {
  i32 sum = 0;
  for (i32 i = 0; i < 3; i++) {
    sum += in_u8 & 7;
    if (sum > 20)
      __builtin_trap();
  }
  out = sum;
}
