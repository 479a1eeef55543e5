/* Many calls, one after the other. */
#include "../guest.h"
static void __attribute__((noinline)) work(i32 n) {
  volatile u8 room[64];
  room[0] = n;
  out = room[0];
}
static void prog(void) {
  i32 i, count = in_u8 & 31;
  for (i = 0; i < count; i++)
    work(i);
}
