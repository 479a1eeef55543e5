/* Runs a guest and comes to rest at `done`, on the bare processor: nothing is asked of an operating system. */
#include "guest.h"

#define INPUT 64

int main(void);
__attribute__((noinline, noreturn)) void done(void);

/* Written into the file before it is run, and so in its data. */
volatile u8 input[INPUT] = {1};
static u8 position;
/* What the guest came to. */
int result = -1;
u8 goal_reached = 2;

u8 get_u8(void) { return input[position++ % INPUT]; }

i32 get_i32(void) {
    u32 value = get_u8();
    value |= (u32)get_u8() << 8;
    value |= (u32)get_u8() << 16;
    return (i32)(value | (u32)get_u8() << 24);
}

void ERROR_(void) {
    goal_reached = 1;
    done();
}

void done(void) {
    for (;;)
        ;
}

#ifdef __AVR__
/* The library's start-up code sets the stack up, copies the data from program memory, and goes here. */
void _start(void) __asm__("main");
#endif

#ifdef __x86_64__
/* A program starts with an aligned stack, a function with one on which a return address lies. */
__attribute__((force_align_arg_pointer))
#endif
void _start(void) {
    goal_reached = 0;
    result = main();
    done();
}

/* What a library's division calls where it is by zero. */
int raise(int signal) {
    result = signal;
    done();
}

/* Compilers call these even where there is no library. */
void *memcpy(void *to, const void *from, __SIZE_TYPE__ size) {
    volatile u8 *target = to;
    const u8 *source = from;
    while (size--) *target++ = *source++;
    return to;
}

void *memset(void *to, int value, __SIZE_TYPE__ size) {
    volatile u8 *target = to;
    while (size--) *target++ = (u8)value;
    return to;
}
