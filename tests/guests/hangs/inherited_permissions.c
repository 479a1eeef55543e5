/* Groups inherit from their parents; one may be its own ancestor. */
#include "../bugs/guest.h"
static u8 parent[4] = {0, 0, 1, 2};
static const u8 rights[4] = {0, 1, 2, 3};
static void prog(void) {
  parent[1] = in_u8 & 3;
  u8 group = 3;
#ifdef TWIN
  if (parent[1] >= 1)
    return;
#endif
  u8 allowed = 0;
  while (group != 0 && !allowed) {
    allowed = rights[group] & 4;
    group = parent[group];
  }
  out = allowed;
}
