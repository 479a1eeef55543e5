// A library that defines a function with the name of one that never returns calls its own, which returns.
// @build gcc -O2 -fno-builtin -shared -fPIC
// @block behind
extern int state;
int state;
void err(int x) { state = x; }
int work(int x) {
    if (x > 3) {
        err(x);
        __asm__ volatile("behind: nop");
    }
    return state;
}
