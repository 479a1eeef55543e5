/* A local array of bounded size. */
#include "../guest.h"
static void __attribute__((noinline)) variable(u32 size) {
  volatile u8 room[size + 1];
  room[0] = 1;
  out = 1;
}
static void prog(void) { variable(in_i32 & 15); }
