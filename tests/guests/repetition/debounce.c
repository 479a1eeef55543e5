/* A key counts after three equal samples; when it is held for 60 rounds, the program gives up. */
#include "../bugs/guest.h"
static u8 count, state;
static u8 debounced(u8 raw) {
  if (raw == state)
    count = 0;
  else if (++count >= 3) {
    state = raw;
    count = 0;
  }
  return state;
}
static void prog(void) {
  u32 held = 0;
  for (;;) {
    u8 key = debounced(in_u8 & 1);
    if (!key)
      held = 0;
    else if (++held > 60) {
      out = 1;
      break;
    }
  }
}
