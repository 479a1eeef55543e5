/* A flag that only an interrupt handler sets. */
#define REGISTER(address) (*(volatile unsigned *)(address))
extern unsigned stack_top;
volatile unsigned flag;
unsigned out;

void received(void) {
    unsigned c = REGISTER(0x40011004);
    if (c == 'Q')
        out = 99;
    flag = 1;
}

void failed(void) { for (;;) { } }

void reset(void) {
    for (int i = 0; i < 10; i++)
        if (flag) {
            out |= 0x100;
            flag = 0;
        }
    for (;;) { }
}

__attribute__((section(".vectors"), used)) const void *const vectors[] = {
    &stack_top, reset, failed, failed, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, received };
