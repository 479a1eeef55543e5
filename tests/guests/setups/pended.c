/* Pends PendSV in the block that ends with a new direction; its handler and what comes behind show nothing new any more. */
#define REGISTER(address) (*(volatile unsigned *)(address))
#define SWITCH REGISTER(0xe000ed04)
extern unsigned stack_top;
static volatile unsigned switched;
volatile unsigned seen;

static void pend(void) { switched++; }

__attribute__((noinline)) static void keep(unsigned value) { seen = value; }

void reset(void) {
    SWITCH = 1 << 28; /* the handler runs for the first time */
    for (;;) {
        unsigned command = REGISTER(0x40011004);
        SWITCH = 1 << 28;
        if (command == 1)
            keep(1);
        SWITCH = 1 << 28;
        if (command == 2)
            keep(2);
        switched = 0; /* back in the same state */
    }
}

__attribute__((section(".vectors"), used)) const void *const vectors[16] = {&stack_top, reset, [14] = pend};
