/* Two debounced keys and three modes: the third is behind a key that is held while the other is pressed and let go. */
#include "../bugs/guest.h"
struct Key {
  u8 count, state;
};
static struct Key arm, hold;
static u8 debounced(struct Key *key, u8 raw) {
  if (raw == key->state)
    key->count = 0;
  else if (++key->count >= 3) {
    key->state = raw;
    key->count = 0;
  }
  return key->state;
}
static void prog(void) {
  u8 mode = 0;
  while (mode < 3) {
    u8 is_armed = debounced(&arm, in_u8 & 1);
    u8 is_held = debounced(&hold, (in_u8 >> 1) & 1);
    if (mode == 0) {
      if (is_armed)
        mode = 1;
    } else if (!is_armed) {
      mode = 0;
    } else if (mode == 1) {
      if (is_held)
        mode = 2;
    } else if (!is_held) {
      mode = 3;
    }
  }
  out = 1;
}
