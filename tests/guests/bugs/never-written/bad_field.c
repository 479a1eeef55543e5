/* A field that nobody sets. */
#include "../guest.h"
struct message {
  i32 kind, length;
};
static void __attribute__((noinline)) set(struct message *message) { message->kind = in_u8; }
static void prog(void) {
  struct message message;
  set(&message);
  if (message.length > 100)
    out = 2;
  out = message.kind;
}
