/* A pointer without a value on one path. */
#include "../guest.h"
static i32 table[8];
static void prog(void) {
  u32 index;
  if (in_u8 & 1)
    index = 3;
  table[index & 7] = 1;
  if (table[3])
    out = 1;
}
