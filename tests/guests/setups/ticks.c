/* A counter that only an interrupt handler changes, read twice; a flag that is set by what a handler calls through a pointer; and
 * a register of two bytes of which a configuration may declare one. */
#define REGISTER16(address) (*(volatile unsigned short *)(address))
extern unsigned stack_top;
volatile unsigned ticks, flag;
unsigned out;

static void set_flag(void) { flag = 1; }
void (*volatile callback)(void) = set_flag;

void tick(void) { ticks++; }
void received(void) { callback(); }
void failed(void) { for (;;) { } }

void reset(void) {
    callback = set_flag;
    unsigned first = ticks, second = ticks;
    if (first != second)
        out |= 1;
#ifdef CALLBACK
    if (flag)
        out |= 2;
#endif
    for (;;) { }
}

#ifdef WIDE
void wide(void) {
    if (REGISTER16(0x40012440) > 0x1000)
        out |= 4;
    for (;;) { }
}
#define reset wide
#define tick failed
#define received failed
#endif

__attribute__((section(".vectors"), used)) const void *const vectors[] = {
    &stack_top, reset, failed, failed, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, tick,
#ifdef CALLBACK
    received
#endif
};
