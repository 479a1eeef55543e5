// A program in A32 whose start-up code, in T32, passes it to the library.
// @build arm-linux-gnueabihf-gcc -O2 -marm -no-pie
// @block main
// @block work
// @function _init
// @function _fini
volatile int sink;
__attribute__((noinline)) void work(int count) {
    while (count--)
        sink++;
}
int main(int count, char **arguments) {
    work(count);
    return sink + (arguments != 0);
}
