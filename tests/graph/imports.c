// Words that the dynamic linker fills in are no constants, although it protects them afterwards.
// @build gcc -O2 -Wl,-z,now
// @build gcc -O2 -Wl,-z,lazy
// @build gcc -O2 -fno-plt
// @build gcc -O2 -no-pie -Wl,-z,now
// @build aarch64-linux-gnu-gcc -O2 -Wl,-z,now
// @build aarch64-linux-gnu-gcc -O2 -Wl,-z,lazy
// @build arm-linux-gnueabi-gcc -O2 -Wl,-z,now
// @build powerpc-linux-gnu-gcc -O2 -Wl,-z,now
// @import puts
// @import exit
// @returns main
// @never-returns leave
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) void leave(int code) {
    puts("leaving");
    exit(code);
}
int main(int count, char **arguments) {
    char *memory = malloc(100);
    if (count > 3)
        leave(count);
    if (count > 1)
        puts("many");
    else
        puts("one");
    free(memory);
    printf("done %d\n", count);
    return 0;
}
