/* The count is checked. */
#include "../guest.h"
static void __attribute__((noinline)) take(void) {
  u8 buffer[8];
  i32 count = in_u8, i;
  if (count > 8)
    count = 8;
  for (i = 0; i < count; i++)
    buffer[i] = in_u8;
  out = buffer[0];
}
static void prog(void) {
  take();
}
