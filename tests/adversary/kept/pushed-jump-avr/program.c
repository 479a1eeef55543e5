#define MASK_A 0x17
#define MASK_B 0x0
typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef signed short i16;
#if defined(__SDCC) || (defined(__SIZEOF_INT__) && __SIZEOF_INT__ < 4)
typedef unsigned long u32;
typedef signed long i32;
#else
typedef unsigned int u32;
typedef signed int i32;
#endif
#ifdef __SDCC
#define NOINLINE
#define REENTRANT __reentrant
#define MAIN void
#define FINISH
#else
typedef unsigned long long u64;
typedef signed long long i64;
#define NOINLINE __attribute__((noinline))
#define REENTRANT
#define MAIN int
#define FINISH return 0;
struct __attribute__((packed)) Packed { u32 w; };
/* What compilers and their runtime call. */
int __attribute__((weak)) raise(int number) { return number; }
void *__attribute__((weak)) memset(void *to, int byte, __SIZE_TYPE__ size)
{
  volatile u8 *at = to;
  while (size--) *at++ = (u8)byte;
  return to;
}
void *__attribute__((weak)) memcpy(void *to, const void *from, __SIZE_TYPE__ size)
{
  volatile u8 *at = to;
  const volatile u8 *source = from;
  while (size--) *at++ = *source++;
  return to;
}
#ifdef __MSP430__
/* Shifts of 32 bits by an amount that is not constant. */
u32 __mspabi_slll(u32 value, int amount) { while (amount-- > 0) value += value; return value; }
u32 __mspabi_srll(u32 value, int amount) { while (amount-- > 0) value = value >> 1; return value; }
i32 __mspabi_sral(i32 value, int amount) { while (amount-- > 0) value = value >> 1; return value; }
#endif
#endif
struct Record { u8 a; u16 b; i32 c; u8 d[4]; };
struct Fields { u8 p : 3; u8 q : 2; u8 r : 3; };
union Word { u32 w; u8 b[4]; };
struct Wide { u8 x, a, y, z; };
typedef u16 (*Function)(u16 x) REENTRANT;
struct Wide in_w = {1, 0, 2, 3};
volatile u8 in_b, status, sensor;
volatile u32 out, probe;
struct Record record = {1, 2, 3, {4, 5, 6, 7}};
struct Fields fields = {1, 2, 3};
#define READ_A ((u8)(*(volatile u8 *)&in_w.a & MASK_A))
#define READ_B ((u8)(in_b & MASK_B))
#ifdef __SDCC
void done(void) { out = 1; for (;;) ; }
#else
void NOINLINE done(void) { __asm__ volatile("" ::: "memory"); }
#endif
MAIN main(void) {
  u8 a = 0, b = 0;
  a = READ_A;
  { static const void *const t6[4] = {&&l6_2, &&l6_2, &&l6_1, &&l6_0};
  goto *t6[(a & 3)];
  l6_0:;
  l6_1:;
  l6_2:;
  }
  done();
  FINISH
}

