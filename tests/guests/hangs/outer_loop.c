/* An inner loop that ends, in an outer one that undoes what it does. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 n = in_u8 & 7, i = 1;
  while (i != 0) {
    for (i = 4; i > n; i--)
      out = i;
#ifdef TWIN
    i = 0;
#else
    if (i != n)
      i = 0;
#endif
  }
}
