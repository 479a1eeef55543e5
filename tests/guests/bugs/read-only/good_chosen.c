/* Two pointers, both to memory that may be written. */
#include "../guest.h"
static u8 first[4], second[4];
static void prog(void) {
  u8 *pointer = in_u8 < 200 ? first : second;
  pointer[in_u8 & 3] = 5;
}
