/* The address of a function comes from outside. */
#include "../guest.h"
static void prog(void) { ((void (*)(void))in_i32)(); }
