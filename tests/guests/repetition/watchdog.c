/* A mode that is left only when no heartbeat has come for 50 rounds while a switch is on. */
#include "../bugs/guest.h"
static void prog(void) {
  u32 mode = 0, since = 0;
  for (;;) {
    u8 port = in_u8;
    if (since < 1000)
      since++;
    if (port == 0xa5)
      since = 0;
    if (mode == 0 && (port & 1))
      mode = 1;
    else if (mode == 1 && !(port & 1))
      mode = 0;
    else if (mode == 1 && since > 50)
      mode = 2;
    if (mode == 2) {
      out = port;
      if (port & 0x80)
        break;
    }
  }
}
