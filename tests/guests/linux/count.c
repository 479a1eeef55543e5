// Input decides how many bytes are read next: no number is lost.
// stdin: 5..5
// statuses: 1 2 3 4 30
#include <unistd.h>

int main(void) {
    unsigned char count = 0, bytes[4] = {0};
    read(0, &count, 1);
    count &= 3;
    long got = read(0, bytes, count + 1);
    if (got == 4 && bytes[3] == 77) _exit(30);
    _exit(got);
}
