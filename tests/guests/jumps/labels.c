/* A small interpreter: labels as values. */
//@ expect: exact
#include "../bugs/guest.h"
static void prog(void) {
  static const void *const labels[4] = {&&add, &&sub, &&twice, &&end};
  i32 value = 0, steps = 0;
next:
  if (++steps > 3)
    return;
  goto *labels[in_u8 & 3];
add:
  value++;
  goto next;
sub:
  value--;
  goto next;
twice:
  value *= 2;
  goto next;
end:
  out = value;
}
