#define MASK_A 0xff
#define MASK_B 0x0
#include "../../guest.h"
u8 g0[8] = {((u8)0), ((u8)0), ((u8)0), ((u8)0), ((u8)0), ((u8)0), ((u8)0), ((u8)0)};
static const u8 c2[4] = {((u8)1), ((u8)0), ((u8)0), ((u8)0)};
MAIN main(void) {
  u8 a = 0, b = 0;
  i16 v3 = 0;
  a = READ_A;
  if (((u8)(((i8)((i8)((i8)0x7u) / (i8)((a & 7) + 1))) <= ((i8)c2[(a % 4u)])))) {
  if ((((u32)((i32)((u32)a) % (i32)((a & 7) + 1))) >= ((u32)0x46ul))) {
  v3 = ((i16)((u16)((i16)(-(unsigned)(u16)((i16)((i16)a)))) >> ((u8)2)));
  } else {
  g0[(a & 7)] = ((u8)v3);
  }
  }
  out = ((u32)((u32)((u8)v3)));
  done();
  FINISH
}

