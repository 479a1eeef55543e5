/* A protocol that answers a refusal with the same request. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 answer = in_u8 & 3, state = 0, tries = 0;
  while (state != 3) {
    if (state == 0)
      state = 1;
    else if (state == 1)
      state = answer == 1 ? 3 : answer == 2 ? 2 : 0;
    else
      state = 3;
#ifdef TWIN
    if (++tries > 9)
      state = 3;
#endif
  }
  out = tries;
}
