/* A pointer keeps a value that marks it as unset. */
#include "../guest.h"
static i32 cell;
static void prog(void) {
  i32 *pointer = (i32 *)-64;
  if (in_u8 != 17)
    pointer = &cell;
  *pointer = 3;
}
