/* A value on both paths. */
#include "../guest.h"
static void prog(void) {
  i32 limit;
  if (in_u8 > 3)
    limit = 10;
  else
    limit = 5;
  if (limit == 5)
    out = 1;
}
