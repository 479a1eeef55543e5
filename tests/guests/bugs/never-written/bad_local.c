/* A local variable without a value on one path. */
#include "../guest.h"
static void prog(void) {
  i32 limit;
  if (in_u8 > 3)
    limit = 10;
  if (limit == 5)
    out = 1;
}
