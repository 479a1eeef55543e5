/* Leaves the same in scratch registers and flags, whatever was computed before. */
static __attribute__((noinline)) void settle(void) {
  out = 0;
  if (out == 7)
    out = 8;
}
