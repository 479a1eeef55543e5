/* A large array that is not on the stack. */
#include "../guest.h"
static volatile u8 room[8000];
static void prog(void) {
  if (in_u8 == 3)
    room[7999] = 1;
  out = room[7999];
}
