// Reads the first byte of a mapped file of up to one byte: if the file is empty, the system ends the process.
// file: in.bin 0..1
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    int file = open("in.bin", O_RDONLY);
    volatile unsigned char *mapped = mmap(0, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) _exit(8);
    _exit(mapped[0] == 'x' ? 1 : 2);
}
