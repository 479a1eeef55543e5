/* One of two functions. */
#include "../guest.h"
static void one(void) { out = 1; }
static void two(void) { out = 2; }
static void prog(void) {
  void (*function)(void) = in_u8 ? one : two;
  function();
}
