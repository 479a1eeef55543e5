// A file of up to four bytes: a letter, the position of a record, and the record. Each status is reached, and no other.
// file: in.bin 0..4
// statuses: 1 2 3 4 5 6
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Every end is a place of its own: a status that is computed without a branch is not a path.
#define END(status) do { __asm__ volatile("" : : "i"(status)); _exit(status); } while (0)

int main(void) {
    unsigned char head[2], again, record, buffered;
    struct stat status;
    int file = open("in.bin", O_RDONLY);
    if (file < 0 || fstat(file, &status)) END(9);
    if (read(file, head, 2) != 2) END(1);
    if (pread(file, &again, 1, 1) != 1 || again != head[1] || status.st_size < 2 || status.st_size > 4) END(8);
    if (head[0] != 'M') END(2);
    // As another part of a program sees it: through the buffer of a stream, and mapped.
    FILE *stream = fopen("in.bin", "r");
    unsigned char *mapped = mmap(0, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    if (!stream || mapped == MAP_FAILED || fread(&buffered, 1, 1, stream) != 1 || buffered != 'M') END(7);
    if (mapped[1] != head[1] || mapped[status.st_size]) END(7);
    lseek(file, head[1] & 3, SEEK_SET);
    if (read(file, &record, 1) != 1) END(3);
    if (record == 'x' && status.st_size == 4) END(4);
    if (record == 'x') END(5);
    END(6);
}
