/* Polls a status before each of many characters: each poll comes back at once, whatever was polled before. */
/* input: 0 1 0 1 1 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 5 */
/* closed: yes */
#include "../bugs/guest.h"
#include "../bugs/settle.h"
static __attribute__((noinline)) void print(u8 character) {
  while (!(in_u8 & 1))
    ;
  out = character;
}
static void prog(void) {
  for (u32 i = 0; i < 24; i++)
    print(i);
  if (in_u8 == 5)
    mark(1);
  if (out == 25)
    mark(2); /* infeasible */
  for (;;)
    settle();
}
