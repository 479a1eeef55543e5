/* A callee overruns the buffer of its caller. */
#include "../guest.h"
static void __attribute__((noinline)) fill(u8 *to, i32 count) {
  while (count--)
    *to++ = in_u8;
}
static void __attribute__((noinline)) take(void) {
  u8 buffer[4];
  fill(buffer, in_u8 & 63);
}
static void prog(void) { take(); }
