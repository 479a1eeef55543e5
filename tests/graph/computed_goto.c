// An interpreter with one jump for all instructions, whose targets are not all found: it may return by one of the others.
// @build gcc -O1 -nostdlib -static
// @build gcc -O2 -nostdlib -static
// @build aarch64-linux-gnu-gcc -O1 -nostdlib -static
// @build arm-linux-gnueabi-gcc -O1 -nostdlib -static
// @returns interpret
// @block behind
volatile int sink;
__attribute__((noinline)) int interpret(const unsigned char *code) {
    static const void *const labels[] = {&&add, &&twice, &&less, &&small, &&end};
    int value = 0;
    goto *labels[*code++];
add:
    value += 1;
    goto *labels[*code++];
twice:
    value *= 2;
    goto *labels[*code++];
less:
    value -= 3;
    goto *labels[*code++];
small:
    if (value > 3)
        value = 0;
    goto *labels[*code++];
end:
    return value;
}
void _start(void) {
    static const unsigned char code[] = {0, 1, 2, 3, 1, 0, 4};
    sink = interpret(code);
    asm volatile("behind: nop");
    for (;;) {
    }
}
