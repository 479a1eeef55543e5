#define MASK_A 0x17
#define MASK_B 0x0
#include "../../guest.h"
__asm__(".text\n.globl _start\n_start: call main\n j _start");
u8 g0[8] = {((u8)0), ((u8)0), ((u8)0), ((u8)0), ((u8)0), ((u8)0), ((u8)0), ((u8)0)};
static u16 NOINLINE fn0(u16 x) REENTRANT {
  u8 v3 = 0;
  if (((u8)((((u32)g0[(((u8)x) & 7)]) <= ((u32)g0[(((u8)x) % 8u)])) ? ((u16)x) : ((u16)0)))) {
  } else {
  v3 = ((u8)1);
  }
  return ((u16)((u16)((u16)v3)));
}
static u16 NOINLINE fn1(u16 x) REENTRANT {
  u32 v4 = 0;
  return ((u16)v4);
}
static u16 NOINLINE fn2(u16 x) REENTRANT {
  return ((u16)0);
}
static u16 NOINLINE fn3(u16 x) REENTRANT {
  u16 v6 = 0;
  return v6;
}
Function written_table[4] = {fn0, fn1, fn2, fn3};
MAIN main(void) {
  u8 a = 0, b = 0;
  u8 v14 = 0;
  u16 v17 = 0;
  a = READ_A;
  if (((u8)0))  written_table[(v14 & 3)] = fn0;
  v17 = written_table[((u8)0)](((u16)0));
  done();
  FINISH
}

