/* One byte goes where input says, and the buffer is shorter. */
#include "../guest.h"
static void __attribute__((noinline)) take(void) {
  u8 buffer[4];
  buffer[in_u8 & 63] = in_u8;
}
static void prog(void) { take(); }
