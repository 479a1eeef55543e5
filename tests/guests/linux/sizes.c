// Decides by the size of a file of up to two bytes, by each call that depends on it. Each status is reached, and no other.
// file: in.bin 0..2
// statuses: 1 2 3 4
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

// Every end is a place of its own: a status that is computed without a branch is not a path.
#define END(status) do { __asm__ volatile("" : : "i"(status)); _exit(status); } while (0)

int main(void) {
    unsigned char bytes[4];
    int file = open("in.bin", O_RDONLY);
    long size = lseek(file, 0, SEEK_END);
    if (size == 2) END(1);
    int other = open("in.bin", O_RDWR);
    if (read(other, bytes, 4) != size) END(8);
    if (size == 0) END(2);
    unsigned char *mapped = mmap(0, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED || mapped[0] != bytes[0] || mapped[1]) END(8);
    if (bytes[0] == 'x') END(3);
    END(4);
}
