/* A mask by priority: a line above it interrupts the program, and one below does not. */
#define REGISTER(address) (*(volatile unsigned *)(address))
#define PRIORITY(line) (*(volatile unsigned char *)(0xe000e400 + (line)))
extern unsigned stack_top;
static volatile unsigned above, below;
volatile unsigned seen;

static void urgent(void) { above = 1; }
static void slow(void) { below = 1; }

__attribute__((noinline)) static void keep(unsigned value) { seen = value; }

void reset(void) {
    PRIORITY(3) = 0x40;
    PRIORITY(4) = 0xc0;
    __asm__ volatile("msr basepri, %0" : : "r"(0x80));
    REGISTER(0xe000e100) = 1 << 3 | 1 << 4;
    for (;;) {
        if (above)
            keep(1);
        if (below)
            keep(2); /* infeasible */
    }
}

__attribute__((section(".vectors"), used)) const void *const vectors[16 + 5] = {
    &stack_top, reset, [16 + 3] = urgent, [16 + 4] = slow};
