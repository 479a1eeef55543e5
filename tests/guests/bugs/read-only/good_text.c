/* A text in memory that may be written is changed in place. */
#include "../guest.h"
static char text[] = "ABC";
static void prog(void) {
  char *at;
  for (at = text; *at; at++)
    if (*at == (char)in_u8)
      *at = ' ';
}
