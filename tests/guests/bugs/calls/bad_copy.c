/* The length of the copy comes with the data. */
#include "../guest.h"
static u8 message[64], *to, *from, count;
static void __attribute__((noinline)) copy(void) {
  u8 buffer[12];
  to = buffer;
  from = message;
  count = message[0] & 63;
  while (count--)
    *to++ = *from++;
}
static void prog(void) {
  i32 i;
  for (i = 0; i < 64; i++)
    message[i] = in_u8;
  copy();
}
