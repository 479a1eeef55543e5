/* Reads the pins of each port of an 8051 without a declaration: no direction is infeasible. */
__sfr __at(0x80) P0;
__sfr __at(0x90) P1;
__sfr __at(0xa0) P2;
__sfr __at(0xb0) P3;
volatile unsigned char seen;

void main(void) {
    for (;;) {
        if (P0 & 4)
            seen = 1;
        if (P1 & 4)
            seen = 2;
        if (P2 & 4)
            seen = 3;
        if (P3 & 4)
            seen = 4;
    }
}
