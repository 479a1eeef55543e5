/* The input of every harness: at most N bytes from a UART data register, up to a newline, then a call of `parse`.
   A binary format may contain the newline: with READ_ALL, exactly N bytes are read.

   Two builds: on the target the register is a volatile cell, `in_u8`; natively (NATIVE) the bytes are those of standard
   input, and coverage is written even if the module crashes or does not come to an end. */
#include <stddef.h>

static void parse(unsigned char *input, size_t length);

#ifdef NATIVE
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

extern void __gcov_dump(void);

static void leave(int signal)
{
    (void)signal;
    __gcov_dump();
    _exit(1);
}

static void start(void)
{
    int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], leave);
    alarm(2);
}

static unsigned char receive(void)
{
    int byte = getchar();
    return byte == EOF ? 0 : (unsigned char)byte;
}

static void stop(void)
{
}
#else
volatile unsigned char in_u8;

static void start(void)
{
}

static unsigned char receive(void)
{
    return in_u8;
}

/* Firmware does not return from `main`; the idle loop ends the path. */
static void stop(void)
{
    for (;;)
        ;
}
#endif

static unsigned char input[N + 1];

int main(void)
{
    size_t length = 0;
    start();
    while (length < N) {
        unsigned char byte = receive();
#ifndef READ_ALL
        if (byte == '\n')
            break;
#endif
        input[length++] = byte;
    }
    input[length] = 0;
    parse(input, length);
    stop();
    return 0;
}
