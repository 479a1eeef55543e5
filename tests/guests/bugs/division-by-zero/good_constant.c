/* The divisor is a constant in memory. */
#include "../guest.h"
static volatile i32 seven = 7;
static void prog(void) {
  i32 divisor = 7;
  out = in_i32 / divisor;
}
