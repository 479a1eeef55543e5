/* As many bytes as input says go to a buffer of eight. */
#include "../guest.h"
static i32 count, i;
static void __attribute__((noinline)) take(void) {
  u8 buffer[8];
  count = in_u8 & 63;
  for (i = 0; i < count; i++)
    buffer[i] = in_u8;
}
static void prog(void) { take(); }
