/* An index of 8 bits that is to exceed the largest number of 8 bits. */
#include "../bugs/guest.h"
static void prog(void) {
  u8 limit = in_u8;
#ifdef TWIN
  for (u8 i = 224; i < limit; i++)
#else
  for (u8 i = 224; i <= limit; i++)
#endif
    out = i;
}
