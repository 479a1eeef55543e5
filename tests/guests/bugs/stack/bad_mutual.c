/* Two functions call each other. */
#include "../guest.h"
static i32 odd(i32 n);
static i32 __attribute__((noinline)) even(i32 n) {
  volatile u8 room[48];
  room[1] = n;
  return n ? odd(n - 1) : room[1];
}
static i32 __attribute__((noinline)) odd(i32 n) { return n ? even(n - 1) : 1; }
static void prog(void) { out = even(in_u8); }
