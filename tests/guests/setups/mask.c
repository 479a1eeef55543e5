/* A handler that masks all interrupts for good: the program sees the mask. */
#define REGISTER(address) (*(volatile unsigned *)(address))
extern unsigned stack_top;
volatile unsigned seen;

static void tick(void) { __asm__ volatile("cpsid i"); }

__attribute__((noinline)) static void keep(unsigned value) { seen = value; }

void reset(void) {
    REGISTER(0xe000e010) = 7;
    for (;;) {
        unsigned mask;
        __asm__ volatile("mrs %0, primask" : "=r"(mask));
        if (mask)
            keep(1);
    }
}

__attribute__((section(".vectors"), used)) const void *const vectors[16] = {&stack_top, reset, [15] = tick};
