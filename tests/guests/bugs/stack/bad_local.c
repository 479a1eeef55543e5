/* A large local array on one path. */
#include "../guest.h"
static void __attribute__((noinline)) large(void) {
  volatile u8 room[8000];
  room[0] = 1;
  out = room[0];
}
static void prog(void) {
  if (in_u8 == 3)
    large();
}
