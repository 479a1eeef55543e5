// Handles the signal of its fault: what the handler does is not known, so that nothing is infeasible.
// stdin: 1..1
#include <signal.h>
#include <unistd.h>

static void handle(int signal) {
    _exit(2);
}

int main(void) {
    unsigned char byte = 0;
    read(0, &byte, 1);
    signal(SIGSEGV, handle);
    if (byte == 5) *(volatile char *)(long)(byte - 5) = 1;
    _exit(1);
}
