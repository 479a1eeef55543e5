/* A controller that moves by two, around a target that is one away. */
#include "../bugs/guest.h"
static void prog(void) {
  i32 target = in_u8, position = 0;
  while (position != target)
#ifdef TWIN
    position += position < target ? 1 : -1;
#else
    position += position < target ? 2 : -2;
#endif
  out = position;
}
