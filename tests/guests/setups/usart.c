/* AVR: commands arrive by the interrupt of a serial line, in a ring buffer; a timer ticks. */
#include <avr/io.h>
#include <avr/interrupt.h>
static volatile unsigned char ring[4], head, tail, ticks;
volatile unsigned char seen;

ISR(USART_RX_vect) {
    unsigned char next = (head + 1) & 3;
    if (next == tail) {
        seen = 1; /* full: only if nothing is taken out meanwhile */
        return;
    }
    ring[head] = UDR0;
    head = next;
}

ISR(TIMER0_OVF_vect) { ticks++; }

static unsigned char next(void) {
    while (head == tail)
        ;
    unsigned char command = ring[tail];
    tail = (tail + 1) & 3;
    return command;
}

int main(void) {
    TIMSK0 = 1 << TOIE0;
    UCSR0B = 1 << RXCIE0 | 1 << RXEN0;
    if (ticks)
        seen = 2; /* infeasible: interrupts are masked after the reset */
    sei();
    while (ticks < 20)
        ;
    if (next() == 'A' && next() == 'B')
        seen = 3;
    cli();
    for (unsigned char before = ticks; ticks != before;)
        seen = 4; /* infeasible: masked */
    sei();
    for (;;) ;
}
