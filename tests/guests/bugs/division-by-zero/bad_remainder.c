/* Of four remainders one divides. */
#include "../guest.h"
static void prog(void) { out = 77 % (in_u8 & 3); }
