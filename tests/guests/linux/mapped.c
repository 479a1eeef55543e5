// Writes to a file that is mapped, whose memory would change: the path ends there, and the code behind is neither covered nor infeasible.
// stdin: 1..1
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    unsigned char byte = 0;
    read(0, &byte, 1);
    int file = open("changed", O_CREAT | O_TRUNC | O_RDWR, 0600);
    write(file, "abcd", 4);
    volatile char *memory = mmap(0, 4, PROT_READ, byte == 5 ? MAP_SHARED : MAP_PRIVATE, file, 0);
    pwrite(file, "Q", 1, 0);
    if (memory[0] == 'Q') _exit(2);
    _exit(1);
}
