// Keeps two bytes of its input in files that it makes, reads back, appends to, renames and removes. Each status is reached, and no other.
// stdin: 2..2
// statuses: 1 2 3 4
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// Every end is a place of its own: a status that is computed without a branch is not a path.
#define END(status) do { __asm__ volatile("" : : "i"(status)); _exit(status); } while (0)

int main(void) {
    unsigned char input[2], kept[4] = {0};
    if (read(0, input, 2) != 2) END(9);
    int file = open("kept.bin", O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file < 0 || write(file, input, 2) != 2 || close(file)) END(8);
    if (open("kept.bin", O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0 || errno != EEXIST) END(8);
    FILE *stream = fopen("kept.bin", "a");
    if (!stream || fputc('!', stream) != '!' || fclose(stream)) END(8);
    if (rename("kept.bin", "moved.bin") || open("kept.bin", O_RDONLY) >= 0) END(8);
    if (rename("moved.bin", "nowhere/moved.bin") == 0 || errno != ENOENT) END(8);
    if (fsync(77) == 0 || errno != EBADF) END(8);
    if (dup3(1, 1, 0) >= 0 || errno != EINVAL) END(8);
    file = open("moved.bin", O_RDWR);
    if (fsync(file)) END(8);
    // A file that has no name any more is there until it is closed.
    if (unlink("moved.bin") || access("moved.bin", F_OK) == 0) END(8);
    if (lseek(file, 0, SEEK_END) != 3 || lseek(file, 0, SEEK_SET) || read(file, kept, 4) != 3) END(8);
    if (kept[0] != input[0] || kept[2] != '!') END(8);
    if (kept[0] != 'k') END(1);
    if (pwrite(file, &kept[1], 1, 0) != 1 || pread(file, kept, 1, 0) != 1) END(8);
    if (kept[0] == 'x') END(2);
    FILE *text = fopen("letter.txt", "w");
    if (!text || fputc(input[1], text) != input[1] || fclose(text)) END(8);
    text = fopen("letter.txt", "r");
    if (!text || fgetc(text) != input[1] || fgetc(text) != EOF) END(8);
    if (input[1] == 'y') END(3);
    END(4);
}
