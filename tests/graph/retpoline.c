/* Thunks against speculation call code beside them that overwrites its return address, or discards it: the call is a jump, and what
   calls the thunk returns.

   @build gcc -O2 -nostdlib -static -fcf-protection=none -mindirect-branch=thunk
   @build gcc -O2 -nostdlib -static -fcf-protection=none -mindirect-branch=thunk -mfunction-return=thunk
   @build clang -O2 -nostdlib -static -fuse-ld=lld -mretpoline
   @returns dispatch
   @block behind
   @reached behind
*/
static int increment(int x) { return x + 1; }
static int twice(int x) { return x * 2; }
int (*table[2])(int) = {increment, twice};

__attribute__((noinline)) int dispatch(int index) {
    int result = table[index & 1](index);
    return result + table[(index + 1) & 1](result);
}

void _start(void) {
    int sum = 0;
    for (volatile int index = 0; index < 4; index++) sum += dispatch(index);
    __asm__ volatile(".globl behind\nbehind: syscall" : : "a"(60), "D"(sum & 0x7f) : "rcx", "r11", "memory");
    __builtin_unreachable();
}
