/* An address is read from the outside. */
#include "../guest.h"
static void prog(void) { out = *(u8 *)in_i32; }
