/* What has no value is masked away. */
#include "../guest.h"
static void prog(void) {
  u32 word;
  *(volatile u8 *)&word = in_u8;
  u32 part = *(volatile u8 *)&word;
  if (part == 9)
    out = 1;
}
