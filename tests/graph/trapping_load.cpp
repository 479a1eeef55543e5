// The handler of an exception that a load raises by its signal, which only the tables for unwinding lead to.
// @build g++ -O2 -fnon-call-exceptions -static
// @block caught
#include <csignal>
#include <cstdio>
#include <cstring>
static void handler(int) { throw 42; }
__attribute__((noinline, noclone)) int loads(int *p, int k) {
    int r = k;
    try {
        r += *(volatile int *)p;
        r *= 3;
    } catch (int number) {
        asm volatile("caught: nop");
        r = number + k * 5;
    }
    return r;
}
int main(int count, char **) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    int x = 3;
    printf("%d %d\n", loads(&x, count), loads(nullptr, count));
}
