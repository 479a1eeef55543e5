// Without optimisation, an index is loaded twice: once with its sign, for the comparison, and once without it.
// @build riscv64-linux-gnu-gcc -O0 -nostdlib -static
// @targets choose 5
volatile int sink;
__attribute__((noinline)) int choose(int which) {
    switch (which) {
    case 0: return 1;
    case 1: sink++; return 5;
    case 2: return sink;
    case 3: return 8;
    case 4: return sink * sink;
    }
    return 2;
}
void _start(void) {
    for (int which = -1; which < 7; which++)
        sink += choose(which);
    for (;;) {
    }
}
