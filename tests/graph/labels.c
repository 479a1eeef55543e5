// Labels in a table, of which nothing bounds the index.
// @build powerpc-linux-gnu-gcc -O2 -nostdlib -static -fasynchronous-unwind-tables
// @build gcc -O2 -nostdlib -static
// @build aarch64-linux-gnu-gcc -O2 -nostdlib -static
// @build riscv64-linux-gnu-gcc -O2 -nostdlib -static -fasynchronous-unwind-tables
// @block first
// @block second
// @block third
volatile int sink;
__attribute__((noinline)) int run(const unsigned char *code) {
    static const void *const labels[] = {&&one, &&two, &&three, &&end};
    int x = 0;
    goto *labels[*code++];
one:
    asm volatile("first: nop");
    x += 3;
    goto *labels[*code++];
two:
    asm volatile("second: nop");
    x *= 5;
    goto *labels[*code++];
three:
    asm volatile("third: nop");
    x ^= 0x55;
    goto *labels[*code++];
end:
    return x;
}
void _start(void) {
    static const unsigned char code[] = {0, 1, 2, 3};
    sink = run(code);
    for (;;) {
    }
}
