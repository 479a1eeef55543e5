/* Polls a receiver, and lets a supervisor, on a stack of its own, answer what it has read. */
#define REGISTER(address) (*(volatile unsigned *)(address))
extern unsigned stack_top;
static unsigned process[64];
volatile unsigned asked, answer, seen;

static void supervisor(void) {
    unsigned mode;
    __asm__ volatile("mrs %0, ipsr" : "=r"(mode));
    if (mode != 11)
        seen = 9; /* infeasible */
    answer = asked < 7 ? asked + 1 : 0;
}

static unsigned ask(unsigned value) {
    asked = value;
    __asm__ volatile("svc 1" ::: "memory");
    return answer;
}

void reset(void) {
    __asm__ volatile("msr psp, %0\n movs r0, #2\n msr control, r0\n isb" ::"r"(process + 64) : "r0", "memory");
    while (!(REGISTER(0x40011000) & 0x20)) /* until something was received */
        ;
    unsigned got = ask(REGISTER(0x40011004) & 0xff);
    if (got == 0)
        seen = 1;
    else if (got == 7)
        seen = 2;
    else if (got > 7)
        seen = 3; /* infeasible */
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) const void *const vectors[16] = {&stack_top, reset, [11] = supervisor};
