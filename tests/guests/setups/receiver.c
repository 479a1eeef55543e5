/* Commands arrive by an interrupt in a ring buffer; ticks bound the wait, and a second line is never enabled. */
#define REGISTER(address) (*(volatile unsigned *)(address))
#define ENABLE REGISTER(0xe000e100)
#define DISABLE REGISTER(0xe000e180)
#define TIMER_CONTROL REGISTER(0xe000e010)
#define SWITCH REGISTER(0xe000ed04)
extern unsigned stack_top;
static volatile unsigned char ring[4];
static volatile unsigned head, tail, ticks, switched, never;
volatile unsigned seen;

static void received(void) {
    if (!(REGISTER(0x40011000) & 0x20)) /* not for us */
        return;
    unsigned next = (head + 1) % 4;
    if (next == tail) {
        seen = 1; /* full: only if nothing is taken out meanwhile */
        return;
    }
    ring[head] = REGISTER(0x40011004);
    head = next;
}

static void tick(void) { ticks++; }
static void disabled(void) { never = 1; }
static void masked(void) { never = 2; }

static void pend(void) {
    unsigned mode;
    __asm__ volatile("mrs %0, ipsr" : "=r"(mode));
    if (mode != 14)
        seen = 9; /* infeasible */
    switched++;
}

static int next(void) {
    while (head == tail)
        ;
    int command = ring[tail];
    tail = (tail + 1) % 4;
    return command;
}

void reset(void) {
    ENABLE = 1 << 5; /* received */
    ENABLE = 1 << 7; /* disabled, at once */
    DISABLE = 1 << 7;
    TIMER_CONTROL = 7;
    for (unsigned start = ticks; ticks - start < 20;)
        ;
    __asm__ volatile("cpsid i");
    ENABLE = 1 << 6; /* masked */
    DISABLE = 1 << 6;
    SWITCH = 1 << 28;
    if (switched)
        seen = 2; /* infeasible: it is masked, too */
    __asm__ volatile("cpsie i\n isb\n b 1f\n 1:");
    if (switched != 1)
        seen = 3; /* infeasible */
    if (next() == 'A' && next() == 'B')
        seen = 4;
    if (never)
        seen = 5; /* infeasible */
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) const void *const vectors[24] = {
    &stack_top, reset, [14] = pend, [15] = tick, [21] = received, [22] = masked, [23] = disabled};
