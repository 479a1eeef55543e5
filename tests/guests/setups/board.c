/* A board that nobody has configured: stack pointer and start are in the vector table, registers are not declared. */
#define REGISTER(address) (*(volatile unsigned *)(address))
extern char stack_top;
#ifndef STACK_TOP
#define STACK_TOP &stack_top
#endif
unsigned seen, enabled;

__attribute__((noinline)) static unsigned deep(unsigned n) { return n < 2 ? 1 : n * deep(n - 1); }

__attribute__((noinline)) static void keep(unsigned value) { seen = value; }

void reset(void) {
    REGISTER(0x40021018) |= 4;              /* a clock is switched on: nothing depends on what was read */
    seen = deep(4);
    if (REGISTER(0x40012000) & 2)           /* a status register: the program depends on it */
        keep(REGISTER(0x4001204c));
    for (;;) { }
}

__attribute__((section(".vectors"), used)) const void *const vectors[] = { STACK_TOP, reset };
