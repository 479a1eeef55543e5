/* Polls a status before each of many characters, and counts the polls: no state comes back. */
/* input: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 5 */
#include "../bugs/guest.h"
#include "../bugs/settle.h"
static __attribute__((noinline)) void print(u8 character) {
  for (u32 polls = 0; !(in_u8 & 1); polls++)
    if (polls == 100000)
      return;
  out = character;
}
static void prog(void) {
  for (u32 i = 0; i < 24; i++)
    print(i);
  if (in_u8 == 5)
    mark(1);
  for (;;)
    settle();
}
