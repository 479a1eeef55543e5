/* Compares a read of a register that nothing declares with one so many reads later that it has the same term: no direction is
 * infeasible. */
#define REGISTER (*(volatile unsigned char *)0x40001000u)
#define CELL (*(volatile unsigned char *)0x40017000u)
/* The number of reads with terms of their own. */
#define OWN 128
extern unsigned stack_top;
volatile unsigned char out;
unsigned char buffer[OWN];

void reset(void) {
    unsigned char first = REGISTER;
    for (int i = 1; i < OWN; i++)
        buffer[i] = REGISTER;
    unsigned char later = REGISTER;
    if (CELL == 5)
        out = 1;
    if (later != first)
        out = 2;
    for (;;) { }
}

__attribute__((section(".vectors"), used)) const void *const vectors[] = { &stack_top, reset };
