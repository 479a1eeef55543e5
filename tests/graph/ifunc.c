// The word of an indirect function holds what its resolver returns, not what the file has there.
// @build gcc -O1 -nostdlib -static -no-pie -fno-pie
// @function resolve
// @block one
// @block behind
int one(int x) { return x + 1; }
void *resolve(void) { return one; }
int chosen(int) __attribute__((ifunc("resolve")));
volatile int sink;
void _start(void) {
    sink = chosen(1);
    asm volatile("behind: nop");
    for (;;) {
    }
}
