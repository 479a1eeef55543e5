/* A jump through a table, behind a check of its bounds. */
//@ expect: exact
#include "../bugs/guest.h"
static void prog(void) {
  switch (in_i32) {
  case 10: out = 3; break;
  case 11: out = 1; break;
  case 12: out = 4; break;
  case 13: out = 1; break;
  case 14: out = 5; break;
  case 15: out = 9; break;
  case 16: out = 2; break;
  case 17: out = 6; break;
  default: out = 0;
  }
}
