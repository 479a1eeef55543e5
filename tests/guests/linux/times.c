// Times and blocks of files, of a pipe and of a folder are what the system makes them: no decision on them is called infeasible.
// stdin: 1..1
// assumption: the answer of the system call
// places: 6
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    unsigned char byte = 0;
    struct stat file, pipe, folder;
    int late = 0;
    read(0, &byte, 1);
    if (stat("/etc/passwd", &file) || fstat(0, &pipe) || stat("/", &folder)) _exit(9);
    if (file.st_mtime == 5) late++;
    if (file.st_ctim.tv_nsec == 5) late++;
    if (file.st_blocks == 5) late++;
    if (pipe.st_mtime == 5) late++;
    if (pipe.st_atime == 5) late++;
    if (folder.st_size == 5) late++;
    if (byte == 5) _exit(1);
    _exit(late ? 2 : 0);
}
