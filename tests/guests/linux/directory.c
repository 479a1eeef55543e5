// The directory in which a process runs is what its parent chose: no decision on it is called infeasible.
// stdin: 1..1
// assumption: the answer of the system call `getcwd`
// places: 1
#include <string.h>
#include <unistd.h>

int main(void) {
    unsigned char byte = 0;
    char path[256];
    read(0, &byte, 1);
    getcwd(path, sizeof path);
    if (strcmp(path, "/") == 0) _exit(2);
    if (byte == 5) _exit(1);
    _exit(0);
}
