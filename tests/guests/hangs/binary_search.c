/* A binary search that keeps the middle in its interval, when that has two elements left. */
#include "../bugs/guest.h"
static const u8 table[16] = {1, 3, 7, 9, 20, 31, 40, 52, 60, 77, 80, 93, 101, 150, 200, 250};
static void prog(void) {
  u32 low = 0, high = 16;
  u8 key = in_u8;
  while (high - low > 1 || (low < high && table[low] < key)) {
    u32 middle = (low + high) / 2;
    if (table[middle] < key)
#ifdef TWIN
      low = middle + 1;
#else
      low = middle;
#endif
    else
      high = middle;
  }
  out = low;
}
