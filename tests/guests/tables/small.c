/* A table of 64 words, whose index is bounded by a mask of ones: its greatest, its least and one value are looked for,
   and two entries that are equal (there are none). */
#include "../bugs/guest.h"
typedef unsigned short u16;
#define E1(i) (u16)(((i) * 7 + 3) % 64 + 1)
#define E4(i) E1(i), E1(i + 1), E1(i + 2), E1(i + 3)
#define E16(i) E4(i), E4(i + 4), E4(i + 8), E4(i + 12)
#define E64(i) E16(i), E16(i + 16), E16(i + 32), E16(i + 48)
static const u16 table[64] = {E64(0)};
static void prog(void) {
  u16 a = (u16)in_i32, b = (u16)in_i32;
  if (a >= 64)
    return;
  u16 value = table[a];
  if (value > 63)
    out = 2;
  else if (value < 2)
    out = 3;
  else if (value == 45)
    out = 4;
  if (b < 64 && table[b] == value && a != b)
    out = 5;
}
