// Handlers and clean-ups of exceptions, which only the tables for unwinding lead to.
// @build g++ -O1
// @build g++ -Os -Wl,-z,lazy
// @block caught
// @block cleaned
#include <cstdio>
#include <stdexcept>
struct Cleaned {
    ~Cleaned() { puts("cleaned"); }
};
__attribute__((noinline)) int may_throw(int x) {
    if (x > 3)
        throw 7;
    return x;
}
__attribute__((noinline)) int catches(int x) {
    try {
        return may_throw(x);
    } catch (int number) {
        asm volatile("caught: nop");
        return -number;
    }
}
__attribute__((noinline)) int cleans(int x) {
    struct Marked {
        __attribute__((always_inline)) ~Marked() { asm volatile("nop"); }
    } marked;
    try {
        return may_throw(x) + 1;
    } catch (...) {
        asm volatile("cleaned: nop");
        throw;
    }
}
int main(int count, char **) { return catches(count) + cleans(count); }
