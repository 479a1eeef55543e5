/* A constant is copied and the copy changed. */
#include "../guest.h"
static const u8 rom[4] = {1, 2, 3, 4};
static u8 ram[4];
static void prog(void) {
  i32 i;
  for (i = 0; i < 4; i++)
    ram[i] = rom[i];
  ram[in_u8 & 3] = 0;
}
