// Asks for more memory than every system has. Whether it gets it, by a mapping or for its heap, is not known: nothing is infeasible.
// stdin: 1..1
// assumption: more than 1 GiB of memory
// places: 2
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    unsigned char byte = 0;
    read(0, &byte, 1);
    if (byte == 5) {
        long end = syscall(SYS_brk, 0L);
        if (syscall(SYS_brk, end + (2L << 30)) == end) _exit(3);
        _exit(4);
    }
    char *large = malloc(1UL << 36);
    if (!large) _exit(2);
    _exit(1);
}
