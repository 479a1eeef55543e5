/* Functions that nothing reaches, one whose address a table holds, and one that the program calls with some arguments only. */
#define REGISTER(address) (*(volatile unsigned *)(address))
extern unsigned stack_top;
volatile unsigned out;

__attribute__((noinline)) unsigned scaled(unsigned value) {
    if (value > 100)
        out = 9;
    return value + 1;
}

__attribute__((noinline, used)) unsigned dead(unsigned value) {
    if (value == 7)
        out = 1;
    return value + 2;
}

__attribute__((noinline, used)) void dead_plain(void) {
    out = 3;
}

void held(void) {
    out = 5;
}

__attribute__((used)) void (*const table[])(void) = { held };

void reset(void) {
    if (REGISTER(0x40011004) == 'Q')
        out = scaled(5);
    for (;;) { }
}

void failed(void) { for (;;) { } }

__attribute__((section(".vectors"), used)) const void *const vectors[] = { &stack_top, reset, failed, failed };
