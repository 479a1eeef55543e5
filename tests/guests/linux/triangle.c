// Three bytes are the sides of a triangle. Each status is reached, and no other.
// stdin: 3..3
// statuses: 0 1 2 3 4 5 134
#include <stdlib.h>
#include <unistd.h>

static unsigned char side(void) {
    unsigned char byte = 0;
    if (read(0, &byte, 1) != 1) exit(9);
    return byte;
}

int main(void) {
    unsigned char a = side(), b = side(), c = side();
    if (a == 0 || b == 0 || c == 0) _exit(0);
    if (a + b <= c || a + c <= b || b + c <= a) _exit(1);
    if (a == b && b == c) _exit(2);
    if (a == b || b == c || a == c) {
        if (a == 200 && b == 200 && c == 17) abort();
        _exit(3);
    }
    if ((unsigned short)(a * a) + (unsigned short)(b * b) == c * c) _exit(5);
    _exit(4);
}
