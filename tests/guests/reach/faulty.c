/* A read that faults for half of the input: what comes behind is not known for that half.

   open       behind
   confirmed  before: arg0 == 1
*/
#include "../bugs/guest.h"
static u8 table[4];

static void before(i32 half) { out = half; }

static void behind(void) { out = 9; }

static void prog(void) {
  i32 half = in_u8 & 1;
  before(half);
  u8 *place = table + half * 0x10000000;
  if (*place == 9)
    behind();
}
