/* One of two pointers. */
#include "../guest.h"
static i32 first, second;
static void prog(void) {
  i32 *pointer = in_u8 ? &first : &second;
  *pointer = 3;
}
