/* A pointer walks over an array to its end. */
#include "../guest.h"
static u8 text[8] = "everyth";
static void prog(void) {
  u8 *at = text, wanted = in_u8;
  while (*at && *at != wanted)
    at++;
  out = *at;
}
