/* Every element has a value. */
#include "../guest.h"
static void prog(void) {
  u8 part[4];
  i32 i;
  for (i = 0; i < 4; i++)
    part[i] = in_u8 & 1;
  if (part[0] + part[1] + part[2] + part[3] > 3)
    out = 1;
}
