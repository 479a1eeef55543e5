/* Input says how deep the recursion goes. */
#include "../guest.h"
static i32 __attribute__((noinline)) deep(i32 n) {
  volatile u8 room[64];
  room[0] = n;
  return n ? deep(n - 1) + room[0] : 0;
}
static void prog(void) { out = deep(in_u8); }
