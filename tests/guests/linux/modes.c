// Modes of files, and paths that lead nowhere: what the kernel answers, whatever the input is. Each status is reached, and no other.
// stdin: 1..1
// statuses: 1 2
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Every end is a place of its own: a status that is computed without a branch is not a path.
#define END(status) do { __asm__ volatile("" : : "i"(status)); _exit(status); } while (0)
#define FAILS(call, error) ((call) == -1 && errno == (error))

static struct stat status;

static int mode_of(const char *path) {
    return stat(path, &status) ? -1 : status.st_mode & 07777;
}

static int make(const char *path, int mode) {
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY, mode);
    return file < 0 || close(file);
}

int main(void) {
    unsigned char byte;
    char name[300];
    struct stat before, pipe;
    if (read(0, &byte, 1) != 1) END(9);

    umask(022);
    if (make("group", 0640) || mode_of("group") != 0640) END(8);
    if (make("masked", 0666) || mode_of("masked") != 0644) END(8);
    if (umask(077) != 022 || umask(077) != 077) END(8);
    if (make("own", 0777) || mode_of("own") != 0700) END(8);
    // A stream does not say how its file is made.
    umask(0);
    FILE *stream = fopen("stream", "w");
    if (!stream || fclose(stream) || mode_of("stream") != 0666) END(8);
    if (access("group", R_OK | W_OK) || access("own", X_OK) || !FAILS(access("own", 8), EINVAL)) END(8);
    // A file of the system: to be read by all, and to be executed by nobody.
    if (mode_of("/etc/passwd") != 0644 || status.st_mode & 0111) END(8);

    if (!FAILS(open("own", O_RDONLY | O_DIRECTORY), ENOTDIR)) END(7);
    if (!FAILS(stat("own/", &status), ENOTDIR) || !FAILS(unlink("own/"), ENOTDIR)) END(7);
    if (!FAILS(open("own/below", O_RDONLY), ENOTDIR) || !FAILS(open("own/", O_CREAT | O_RDWR, 0600), EISDIR)) END(7);
    if (!FAILS(stat("nowhere/../own", &status), ENOENT) || !FAILS(stat("own/../group", &status), ENOTDIR)) END(7);
    if (stat("./././own", &status) || stat("/etc/../etc/./passwd", &status)) END(7);
    memset(name, 'n', 256);
    name[256] = 0;
    if (!FAILS(open(name, O_CREAT | O_RDWR, 0600), ENAMETOOLONG) || !FAILS(stat(name, &status), ENAMETOOLONG)) END(7);
    name[255] = 0;
    if (make(name, 0600) || unlink(name)) END(7);

    int file = open("own", O_RDONLY);
    if (fstat(file, &before) || before.st_nlink != 1 || fstat(0, &pipe) || pipe.st_dev == before.st_dev) END(6);
    if (rename("own", "renamed") || stat("renamed", &status) || status.st_ino != before.st_ino) END(6);
    if (mode_of("renamed") != 0700 || !FAILS(rename("renamed", "other/"), ENOTDIR)) END(6);
    if (unlink("renamed") || fstat(file, &status) || status.st_nlink != 0) END(6);
    if (make("own", 0600) || stat("own", &status) || status.st_ino == before.st_ino) END(6);
    if (byte == 'm') END(1);
    END(2);
}
