/* AVR: a handler of a timer, and an input port that nobody has declared. */
#include <avr/io.h>
#include <avr/interrupt.h>
volatile unsigned char ticks;
unsigned char out;

ISR(TIMER0_OVF_vect) { ticks++; }

int main(void) {
    if (ticks == 3)
        out = 1;
    if (PINB & 4)
        out = 2;
    for (;;) ;
}
