#define MASK_A 0x17
#define MASK_B 0x0
#include "../../guest.h"
MAIN main(void) {
  u8 a = 0, b = 0;
  a = READ_A;
  { static const void *const t6[4] = {&&l6_2, &&l6_2, &&l6_1, &&l6_0};
  goto *t6[(a & 3)];
  l6_0:;
  l6_1:;
  l6_2:;
  }
  done();
  FINISH
}
