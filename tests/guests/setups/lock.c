/* 8051: a serial line whose registers nobody has declared, and a handler of timer 0. */
#include <8051.h>
volatile __data unsigned char ticks;
unsigned char opened;

void tick(void) __interrupt(1) { ticks++; }

void main(void) {
    if (RI && SBUF == 'S')
        opened = 1;
    if (ticks == 3)
        opened = 2;
    for (;;) ;
}
