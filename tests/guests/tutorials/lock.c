/* A door lock for the 8051: reads a code of three digits from a keypad on P1, opens by P3.0, and locks itself for good after
   two wrong codes. The tutorial on firmware has it as an Intel HEX file, without this source. */
#include <8051.h>

static const __code unsigned char masked[3] = {'4' ^ 0x5a, '0' ^ 0x5b, '7' ^ 0x5c};

void main(void)
{
    unsigned char tries = 0, i, is_wrong;
    P3 = 0;
    while (tries < 2) {
        is_wrong = 0;
        for (i = 0; i < 3; i++)
            if ((P1 ^ (0x5a + i)) != masked[i])
                is_wrong = 1;
        if (!is_wrong) {
            P3 = 1;
            for (;;)
                ;
        }
        tries++;
    }
    P3 = 0x80;
    for (;;)
        ;
}
