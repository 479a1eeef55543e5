/* The upper half of an address comes from the pins of port 2 of an 8051, by way of a register: no direction is infeasible. */
__sfr __at(0xa0) P2;
__xdata __at(0x0000) unsigned char low;
__xdata __at(0x0100) unsigned char high;
volatile unsigned char seen;

void main(void) {
    low = 1;
    high = 0;
    for (;;) {
        unsigned int address = (unsigned int)(P2 & 1) << 8;
        if (*(__xdata unsigned char *)address)
            seen = 1;
    }
}
