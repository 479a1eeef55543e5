// What depends on the time is never called infeasible.
// stdin: 1..1
// open: 2
#include <time.h>
#include <unistd.h>

int main(void) {
    unsigned char byte = 0;
    struct timespec now;
    read(0, &byte, 1);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec == 12345) _exit(2);
    if (byte == 5) _exit(1);
    _exit(0);
}
