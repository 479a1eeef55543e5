/* 8051: commands arrive on the serial line by an interrupt, in a ring buffer; timer 0 ticks, and timer 1 is not enabled. */
#include <8051.h>
static volatile __data unsigned char ring[4];
static volatile __data unsigned char head, tail, ticks, never;
volatile __data unsigned char seen;

void received(void) __interrupt(4) {
    unsigned char next = (head + 1) & 3;
    if (!RI) /* the line is ready to send */
        return;
    RI = 0;
    if (next == tail) {
        seen = 1; /* full: only if nothing is taken out meanwhile */
        return;
    }
    ring[head] = SBUF;
    head = next;
}

void tick(void) __interrupt(1) { ticks++; }
void disabled(void) __interrupt(3) { never = 1; }

static unsigned char next(void) {
    unsigned char command;
    while (head == tail)
        ;
    command = ring[tail];
    tail = (tail + 1) & 3;
    return command;
}

void main(void) {
    ET0 = 1;
    while (EA) /* infeasible: it is not set yet */
        ;
    EA = 1;
    while (ticks < 20)
        ;
    EA = 0;
    ES = 1;
    if (head)
        seen = 2; /* infeasible: it is masked */
    ET0 = 0;
    EA = 1;
    if (next() == 'A' && next() == 'B')
        seen = 3;
    if (ticks == 255 || never)
        seen = 4; /* infeasible: both lines are disabled */
    for (;;) ;
}
