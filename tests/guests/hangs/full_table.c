/* Looks for a key in a table by open addressing, until a place is free. */
#include "../bugs/guest.h"
static u8 table[4] = {4, 9, 22, 0};
static void prog(void) {
  u8 key = in_u8, i = key & 3;
#ifndef TWIN
  table[3] = 44;
#endif
  while (table[i] != key && table[i] != 0)
    i = (i + 1) & 3;
  out = i;
}
