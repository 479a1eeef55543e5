/* Functions that no optimisation turns into predicated instructions, or leaves out. */

/* Shows that a path came here. */
static __attribute__((noinline)) void mark(i32 value) { out = value; }

/* Leaves the same in scratch registers and flags, whatever was computed before. */
static __attribute__((noinline, unused)) void settle(void) {
  out = 0;
  if (out == 7)
    out = 8;
}
