/* Data are called. */
#include "../guest.h"
static u32 data[4] = {1, 2, 3, 4};
static void prog(void) {
  if (in_u8 == 7)
    ((void (*)(void))data)();
}
