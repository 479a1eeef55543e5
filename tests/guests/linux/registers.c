// What the system leaves in registers at the start of a process and behind a call. Each status is reached, and no other.
// stdin: 1..1
// statuses: 1 2
#include <unistd.h>

// Every end is a place of its own: a status that is computed without a branch is not a path.
#define END(status) do { __asm__ volatile("" : : "i"(status)); _exit(status); } while (0)

int main(void) {
    unsigned char byte = 0;
    long count, behind, kept, flags, own;
    unsigned int mode, code, stack;
    unsigned short control;
    __asm__ volatile("mov $5, %%ecx\n mov $6, %%r11d\n stc\n syscall\n 1: mov %%rcx, %1\n mov %%r11, %2\n lea 1b(%%rip), %3"
                     : "=a"(count), "=&r"(kept), "=&r"(flags), "=&r"(behind)
                     : "0"(0L), "D"(0L), "S"(&byte), "d"(1L)
                     : "memory", "rcx", "r11", "cc");
    if (count != 1 || kept != behind || (flags & 0x203) != 0x203) END(8);
    __asm__ volatile("pushfq\n pop %0\n mov %%cs, %1\n mov %%ss, %2\n stmxcsr %3\n fnstcw %4"
                     : "=r"(own), "=r"(code), "=r"(stack), "=m"(mode), "=m"(control));
    if ((own & 0x202) != 0x202 || code != 0x33 || stack != 0x2b) END(8);
    if ((mode & 0xffc0) != 0x1f80 || control != 0x37f) END(8);
    if (byte == 'x') END(1);
    END(2);
}
