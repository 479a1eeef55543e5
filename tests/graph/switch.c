// The bound of a switch is the condition of the jump itself, or its table is found through the global offset table.
// @build arm-linux-gnueabi-gcc -O2 -nostdlib -static -fpie
// @build arm-linux-gnueabi-gcc -O2 -nostdlib -static -fno-pie -no-pie
// @build mips-linux-gnu-gcc -O2 -nostdlib -static -fpie
// @build mips-linux-gnu-gcc -O2 -nostdlib -static -fno-pic -mno-abicalls
// @build gcc -O2 -nostdlib -static
// @build powerpc-linux-gnu-gcc -O2 -nostdlib -static
// @targets choose 6
// @once
volatile int sink;
__attribute__((noinline)) int choose(unsigned x) {
    switch (x) {
    case 0: sink = 3; return 5;
    case 1: sink = 9; return 6;
    case 2: sink = 1; return 2;
    case 3: sink = 7; return 1;
    case 4: sink = 8; return 77;
    case 5: return 8 + sink;
    default: return -1;
    }
}
__attribute__((noinline)) int again(int count) { return choose(count) + choose(count + 1); }
void __start(void) {
    again(sink);
    for (;;) {
    }
}
void _start(void) __attribute__((alias("__start")));
