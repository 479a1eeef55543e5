// A pointer to a function that uses its caller's variable, which makes the stack executable. Each status is reached, and no other.
// stdin: 1..1
// statuses: 1 2
#include <unistd.h>

// Every end is a place of its own: a status that is computed without a branch is not a path.
#define END(status) do { __asm__ volatile("" : : "i"(status)); _exit(status); } while (0)

static int call(int (*function)(int), int argument) {
    return function(argument);
}

int main(void) {
    unsigned char byte = 0;
    int added(int argument) { return argument + byte; }
    read(0, &byte, 1);
    if (call(added, 1) == 'n') END(1);
    END(2);
}
