#define MASK_A 0x17
#define MASK_B 0x0
#include "../../guest.h"
__asm__(".text\n.globl _start\n_start: bl main\n b _start");
u8 g0[8] = {((u8)0x9u), ((u8)0x8u), ((u8)0x1u), ((u8)0x8u), ((u8)0x9u), ((u8)0x1u), ((u8)0x0u), ((u8)0x40u)};
u32 g1[16] = {((u32)0x27ul), ((u32)0x8ul), ((u32)0x5ul), ((u32)0x83956da2ul), ((u32)0x80000000ul), ((u32)0xbul), ((u32)0x9ul), ((u32)0x40ul), ((u32)0x80000000ul), ((u32)0x1000ul), ((u32)0x4ul), ((u32)0x21d42c8cul), ((u32)0xd660addaul), ((u32)0x8ul), ((u32)0x3ul), ((u32)0x49896bbul)};
static const u16 c2[16] = {((u16)0x7fa2u), ((u16)0x509du), ((u16)0xffu), ((u16)0x6u), ((u16)0x6ef0u), ((u16)0xbu), ((u16)0x1000u), ((u16)0x8000u), ((u16)0x7fffu), ((u16)0x7fffu), ((u16)0x4u), ((u16)0x8u), ((u16)0x7u), ((u16)0x4u), ((u16)0x8u), ((u16)0xc491u)};
static u16 NOINLINE fn0(u16 x) REENTRANT {
  if (((u8)((unsigned)((u8)x) * 3u + 141u) == 2)) {
  g0[(((u8)x) % 8u)] = ((u8)((unsigned)(u8)((u8)g0[((u8)(((u8)x) > 120 ? ((u8)x) & 3 : 7 - (((u8)x) & 1)))]) + (unsigned)(u8)((u8)((unsigned)(u8)((u8)x) | (unsigned)(u8)((u8)x)))));
  }
  return (((u8)((unsigned)((u8)x) * ((u8)x)) == 102) ? ((u16)0x40u) : ((u16)((unsigned)(u16)x - (unsigned)(u16)x)));
}
static u16 NOINLINE fn1(u16 x) REENTRANT {
  u8 v1 = 0;
  fields.p = ((u8)(((u8)((unsigned)((u8)x) * 43u + 2u) == 42) && ((u16)(((u8)x) + 300u) < 256u)));
  v1 = fields.r;
  return ((u16)((unsigned)(u16)((u16)((unsigned)(u16)((u16)g0[(((u8)x) & 7)]) ^ (unsigned)(u16)((u16)v1))) - (unsigned)(u16)((u16)((u16)((u16)v1) / (u16)(x | 1)))));
}
static u16 NOINLINE fn2(u16 x) REENTRANT {
  u8 v2 = 0;
  v2 = ((u8)((u8)x));
  return ((u16)((unsigned)(u16)((u16)(~(unsigned)(u16)x)) + (unsigned)(u16)((u16)((u8)x))));
}
static u16 NOINLINE fn3(u16 x) REENTRANT {
  u32 v3 = 0;
  v3 = ((u32)x);
  return ((u16)((unsigned)(u16)((u16)((unsigned)(u16)x ^ (unsigned)(u16)x)) * (unsigned)(u16)((u16)((((u8)x) & 170) == 123))));
}
static const Function constant_table[4] = {fn2, fn0, fn2, fn2};
Function written_table[4] = {fn0, fn1, fn2, fn3};
static u16 NOINLINE recursive(u16 x, u8 n) REENTRANT {
  if (n == 0) return x;
  if ((((u8)0x80u) != ((u8)0x6cu))) return (u16)(recursive((u16)(x >> 1), (u8)(n - 1)) + 1u);
  return recursive((u16)(x + 3u), (u8)(n - 1));
}
MAIN main(void) {
  u8 a = 0, b = 0;
  u16 v4 = 0;
  u16 v5 = 0;
  u16 v6 = 0;
  a = READ_A;
  v4 = recursive(((u16)((unsigned)(u16)((u16)a) - (unsigned)(u16)((u16)((unsigned)(u16)((u16)0x6u) - (unsigned)(u16)((u16)g0[((u8)(a > 125 ? ((u8)v4) & 3 : 7 - (a & 1)))]))))), (((u8)v4) % 4u));
  v5 = constant_table[(((u8)v4) >> 2 & 3)](((u16)((i16)((u16)((unsigned)(u16)((u16)g0[(((u8)v5) >> 1 & 7)]) & (unsigned)(u16)((u16)a))) >> (((u8)v4) & 15))));
  { u32 dividend, divisor = ((u8)v4) & 7; out = ((u32)(~(u32)(u32)((u32)v5))); dividend = out; probe = divisor; divisor = probe; out = dividend / divisor; }
  v6 = recursive(((u16)((unsigned)(u16)((((i32)0xbul) == ((i32)0x7ffffffful)) ? ((u16)g1[((u8)15)]) : v4) & (unsigned)(u16)((u16)((unsigned)(u16)v6 | (unsigned)(u16)((u16)0xbu))))), (a & 3));
  out = ((u32)g0[(a & 7)]);
  done();
  FINISH
}

