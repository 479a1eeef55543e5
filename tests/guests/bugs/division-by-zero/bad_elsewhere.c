/* Only with another address in an access before; no branch tells the inputs apart. */
#include "../guest.h"
static u8 buffer[8];
static void prog(void) {
  u8 a = in_u8;
  buffer[7 - (a & 1)] = a;
  out = 100 / ((a & 63) - 43);
}
