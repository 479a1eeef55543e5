/* What has no value is copied, and nothing depends on it. */
#include "../guest.h"
struct message {
  i32 kind, length;
};
static struct message last;
static void prog(void) {
  struct message message;
  message.kind = in_u8;
  last = message;
  if (last.kind == 3)
    out = 3;
}
