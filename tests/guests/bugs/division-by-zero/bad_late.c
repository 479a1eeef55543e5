/* The divisor becomes zero in the hundredth round, when every direction has been taken long before. */
#include "../guest.h"
static void prog(void) {
  i32 rounds = 0;
  for (;;) {
    if (in_u8 == 10)
      rounds = 0;
    out = 100 / (100 - rounds);
    rounds++;
  }
}
