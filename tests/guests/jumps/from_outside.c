/* An address that comes from outside. */
//@ expect: not exact
#include "../bugs/guest.h"
static void prog(void) { ((void (*)(void))in_i32)(); }
