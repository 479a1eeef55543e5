/* One input makes the program give up. */
#include "../guest.h"
static void prog(void) {
  if (in_u8 == 42)
    __builtin_trap();
  out = 1;
}
