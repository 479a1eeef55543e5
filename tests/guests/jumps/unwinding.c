/* A jump out of nested calls, to a place that the program has kept. */
//@ expect: exact
#include "../bugs/guest.h"
static void *kept[5];
static void __attribute__((noinline)) inner(i32 n) {
  if (n == 3)
    __builtin_longjmp(kept, 1);
  out = n;
}
static void __attribute__((noinline)) outer(i32 n) { inner(n + 1); }
static void prog(void) {
  if (__builtin_setjmp(kept) == 0)
    outer(in_u8 & 3);
  out = 0;
}
