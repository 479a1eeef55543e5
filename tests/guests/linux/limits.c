// Odd arguments of calls that transfer, map and wait: what the kernel answers, whatever the input is. Each status is reached, and no other.
// stdin: 1..1
// statuses: 1 2
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// Every end is a place of its own: a status that is computed without a branch is not a path.
#define END(status) do { __asm__ volatile("" : : "i"(status)); _exit(status); } while (0)
#define FAILS(call, error) ((call) == -1 && errno == (error))

static int size_of(int file) {
    struct stat status;
    return fstat(file, &status) ? -1 : status.st_size;
}

int main(void) {
    unsigned char byte;
    char bytes[8];
    if (read(0, &byte, 1) != 1) END(9);

    // Flags of descriptors and of what is open.
    int file = open("kept", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fcntl(file, F_GETFD) != FD_CLOEXEC || syscall(SYS_fcntl, file, F_GETFL) != (0100000 | O_RDWR)) END(8);
    int copy = dup(file);
    if (fcntl(copy, F_GETFD) != 0 || fcntl(copy, F_SETFD, FD_CLOEXEC) || fcntl(copy, F_GETFD) != FD_CLOEXEC) END(8);
    if (dup3(file, copy, O_CLOEXEC) != copy || fcntl(copy, F_GETFD) != FD_CLOEXEC) END(8);
    if (dup2(file, copy) != copy || fcntl(copy, F_GETFD) != 0 || fcntl(0, F_GETFD) != 0) END(8);
    if (fcntl(file, F_DUPFD_CLOEXEC, 100) != 100 || fcntl(100, F_GETFD) != FD_CLOEXEC || close(100)) END(8);
    if (!FAILS(dup2(0, -1), EBADF) || !FAILS(dup2(0, 1 << 30), EBADF)) END(8);
    if (!FAILS(fcntl(0, F_DUPFD, -1), EINVAL) || !FAILS(fcntl(0, F_DUPFD, 1 << 30), EINVAL)) END(8);

    // Transfers.
    if (write(file, "abcdef", 6) != 6 || pwrite(file, "", 0, 50) != 0 || size_of(file) != 6) END(7);
    if (!FAILS(pread(file, bytes, 1, -1), EINVAL) || !FAILS(pwrite(file, bytes, 1, -1), EINVAL)) END(7);
    struct iovec parts[2] = {{bytes, 1}, {bytes, -1}};
    if (!FAILS(readv(file, parts, 2), EINVAL) || !FAILS(writev(file, parts, 2), EINVAL)) END(7);
    int end = open("kept", O_WRONLY | O_APPEND);
    if (pwrite(end, "q", 1, 0) != 1 || size_of(file) != 7 || pread(file, bytes, 8, 0) != 7 || bytes[6] != 'q') END(7);
    char *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || munmap(page + 4096, 4096)) END(7);
    if (pread(file, page + 4094, 6, 0) != 2 || page[4095] != 'b' || !FAILS(pread(file, page + 4096, 6, 0), EFAULT)) END(7);
    if (write(file, page + 4090, 20) != 6 || !FAILS(write(file, page + 4096, 20), EFAULT) || size_of(file) != 12) END(7);
    if (!FAILS(read(file, bytes, -1), EFAULT)) END(7);

    // Mappings.
    if (mmap(0, 4096, PROT_READ, 0, file, 0) != MAP_FAILED || errno != EINVAL) END(6);
    if (mmap(0, 4096, PROT_READ, MAP_PRIVATE, 0, 0) != MAP_FAILED || errno != ENODEV) END(6);
    if (!FAILS(munmap((void *)-4096, 4096), EINVAL)) END(6);
    // More than there are addresses, and addresses that there are not.
    if (mmap(0, 1UL << 62, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED || errno != ENOMEM) END(6);
    if (mmap((void *)(1UL << 62), 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED || errno != ENOMEM) END(6);
    if (mmap(page + 1, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED || errno != EINVAL) END(6);
    if (syscall(SYS_brk, 1UL << 62) != syscall(SYS_brk, 0UL)) END(6);
    char *mapped = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED || mapped[0] != 'a' || munmap(mapped, 4096)) END(6);
    // It is mapped no more, so that the file can change.
    if (pwrite(file, "z", 1, 0) != 1) END(6);

    // Time.
    struct timespec time = {0, 2000000000};
    if (!FAILS(nanosleep(&time, 0), EINVAL) || clock_nanosleep(CLOCK_MONOTONIC, 0, &time, 0) != EINVAL) END(5);
    time.tv_sec = -1, time.tv_nsec = 0;
    if (!FAILS(nanosleep(&time, 0), EINVAL) || !FAILS(clock_gettime(77, &time), EINVAL)) END(5);
    time.tv_sec = 0;
    if (nanosleep(&time, 0)) END(5);
    if (byte == 'l') END(1);
    END(2);
}
