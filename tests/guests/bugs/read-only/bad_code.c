/* Code is written on one value. */
#include "../guest.h"
static void prog(void) {
  if (in_u8 == 42)
    *(volatile u8 *)(u32)&main = 1;
}
