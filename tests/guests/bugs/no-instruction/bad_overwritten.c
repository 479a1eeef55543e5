/* A buffer runs into a pointer to a function. */
#include "../guest.h"
static void one(void) { out = 1; }
static struct {
  u8 buffer[4];
  void (*function)(void);
} both = {{0}, one};
static void prog(void) {
  both.buffer[in_u8 & 7] = in_u8;
  both.function();
}
