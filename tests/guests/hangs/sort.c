/* Sorts by exchanges, also of elements that are equal. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 a[3] = {in_u8, in_u8, 7};
  u8 swapped = 1;
  while (swapped) {
    swapped = 0;
    for (u8 i = 0; i < 2; i++)
#ifdef TWIN
      if (a[i] > a[i + 1]) {
#else
      if (a[i] >= a[i + 1]) {
#endif
        u8 t = a[i];
        a[i] = a[i + 1];
        a[i + 1] = t;
        swapped = 1;
      }
  }
  out = a[0];
}
