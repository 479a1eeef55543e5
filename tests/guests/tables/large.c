/* A table of 5,120 words, larger than what is read of memory that may change: its greatest, its least and one value are looked
   for, and two entries that are equal. */
#include "../bugs/guest.h"
typedef unsigned short u16;
#define E1(i) (u16)(((i) * 7 + 3) % 3800 + 100)
#define E4(i) E1(i), E1(i + 1), E1(i + 2), E1(i + 3)
#define E16(i) E4(i), E4(i + 4), E4(i + 8), E4(i + 12)
#define E64(i) E16(i), E16(i + 16), E16(i + 32), E16(i + 48)
#define E256(i) E64(i), E64(i + 64), E64(i + 128), E64(i + 192)
#define E1024(i) E256(i), E256(i + 256), E256(i + 512), E256(i + 768)
static const u16 table[5120] = {E1024(0), E1024(1024), E1024(2048), E1024(3072), E1024(4096)};
static void prog(void) {
  u16 a = (u16)in_i32, b = (u16)in_i32;
  if (a >= 5120)
    return;
  u16 value = table[a];
  if (value > 3898)
    out = 2;
  else if (value < 101)
    out = 3;
  else if (value == 2345)
    out = 4;
  if (b < 5120 && table[b] == value && a != b)
    out = 5;
}
