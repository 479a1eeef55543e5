/* Both sides of the index are checked. */
#include "../guest.h"
static i32 table[10];
static void prog(void) {
  i32 index = in_i32;
  if (index >= 0 && index < 10)
    out = table[index];
}
