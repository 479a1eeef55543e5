/* A decision that the solver does not make in time: the abstraction takes both sides of it, and concludes all the same. */
/* input: 45 243 4 181 225 36 25 177 4 */
/* infeasible: some */
#include "../bugs/guest.h"
static u32 word(void) {
  u32 low = in_u8;
  low |= (u32)in_u8 << 8;
  u32 high = in_u8;
  high |= (u32)in_u8 << 8;
  return low | high << 16;
}
static void prog(void) {
  u32 state = 0, is_open = 0;
  for (;;) {
    unsigned long long first = word(), second = word();
    if (first > 1 && second > 1 && first * second == 9023581641510030989ull) /* 3037000493 * 2971215073 */
      is_open = 1;
    switch (in_u8) {
    case 1:
      state = 1;
      break;
    case 2:
      if (state == 1)
        state = 2;
      break;
    case 4:
      if (is_open)
        out = 2; /* only behind the decision */
      if (state > 2)
        out = 1; /* infeasible */
      break;
    }
  }
}
