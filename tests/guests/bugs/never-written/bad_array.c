/* One element is missing. */
#include "../guest.h"
static void prog(void) {
  u8 part[4];
  i32 i, count = in_u8 & 3;
  for (i = 0; i <= count; i++)
    part[i] = 1;
  if (part[0] + part[1] + part[2] + part[3] > 4)
    out = 1;
}
