/* A return to an earlier caller. */
#include "../guest.h"
static void *state[5];
static void __attribute__((noinline)) deep(i32 n) {
  if (n == 3)
    __builtin_longjmp(state, 1);
  out = n;
}
static void prog(void) {
  if (__builtin_setjmp(state) == 0)
    deep(in_u8 & 3);
  out = 0;
}
