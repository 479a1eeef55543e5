/* A handler that leaves a flag of the interrupted program changed, which nobody saves. */
#include <avr/interrupt.h>
#include <avr/io.h>

ISR(TIMER0_OVF_vect, ISR_NAKED) { __asm__ volatile("set\n reti"); }

int main(void) {
    TIMSK0 = 1;
    __asm__ volatile("clt");
    sei();
    __asm__ volatile("nop\n brts 1f\n rjmp 2f\n 1: sbi 5, 0\n 2:");
    for (;;)
        ;
}
