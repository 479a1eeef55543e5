/* One of two pointers points to a constant. */
#include "../guest.h"
static u8 ram[4];
static const u8 rom[4] = {1, 2, 3, 4};
static void prog(void) {
  u8 *pointer = in_u8 < 200 ? ram : (u8 *)rom;
  *(volatile u8 *)pointer = 5;
}
