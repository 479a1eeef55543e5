/* The index cannot leave the buffer. */
#include "../guest.h"
static void __attribute__((noinline)) take(void) {
  u8 buffer[8] = {0};
  buffer[in_u8 & 7] = in_u8;
  out = buffer[3];
}
static void prog(void) { take(); }
