/* Frames of three bytes with a checksum: after more than 40 wrong ones the program is locked, until a reset frame comes. */
#include "../bugs/guest.h"
static void prog(void) {
  u32 errors = 0;
  for (;;) {
    u8 kind = in_u8, value = in_u8, sum = in_u8;
    if ((u8)(kind ^ (value << 1) ^ 0x5a) != sum) {
      if (errors < 200)
        errors++;
    } else if (kind == 0x7f) {
      if (errors > 40)
        out = 2;
      errors = 0;
    } else if (errors > 40)
      out = 3;
    else
      out = value;
  }
}
