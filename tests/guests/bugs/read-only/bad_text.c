/* A literal is changed in place. */
#include "../guest.h"
static void lower(char *text) {
  for (; *text; text++)
    if (*text == (char)in_u8)
      *text = ' ';
}
static void prog(void) { lower("ABC"); }
