// Tables and calls in the ways in which compilers write them; each function says what makes it hard.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int f0(int x) { return x + 1; }
static int f1(int x) { return x * 3; }
static int f2(int x) { return x - 7; }
static int f3(int x) { return x ^ 9; }
static int (*const table[4])(int) = {f0, f1, f2, f3};

int sw(int k, int y)
{
    switch (k) {
    case 0: return y * 2;
    case 1: return y + 7;
    case 2: puts("two"); return 1;
    case 3: return y % 3;
    case 4: return y / 5;
    case 5: printf("%d", y); break;
    case 7: return 9;
    case 8: return y << 3;
    }
    return -1;
}

// Labels as values: every piece has a jump of its own.
int cg(const unsigned char *p)
{
    static void *const l[] = {&&a, &&b, &&c, &&d};
    int s = 0;
    goto *l[*p & 3];
a: s += 3; goto *l[*++p & 3];
b: s *= 2; goto *l[*++p & 3];
c: s -= 1; goto *l[*++p & 3];
d: return s;
}

// An interpreter: the address of the table is computed once before the loop, the index is a part of a word, and the
// mask allows more than the table has.
int interpreter(const unsigned *code)
{
    static void *const l[] = {&&add, &&twice, &&call, &&skip, &&end};
    const unsigned *p = code;
    int s = 0;
next:
    goto *l[(*p >> 3) & 7];
add: s += *p++ >> 8; goto next;
twice: s *= 2; if (s > 100) goto end; p++; goto next;
call: s += atoi((const char *)p); p++; goto next;
skip: p += *p & 7; goto next;
end: return s;
}

// The index is compared in memory and read from there again.
struct settings { char name[13]; unsigned char state; char rest[30]; } settings;
__attribute__((noinline)) int by_memory(int y)
{
    switch (settings.state) {
    case 0: y += atoi(settings.name); break;
    case 1: y *= 5; break;
    case 2: puts(settings.name); break;
    case 3: y ^= 77; break;
    case 4: y -= 8; puts("four"); break;
    }
    return y;
}

// The index is compared in a loop that does nothing else, and the table's address was computed before.
__attribute__((noinline)) int in_a_loop(const int *from, const int *to, unsigned *state)
{
    int s = 0;
    while (from < to) {
        switch (*state) {
        case 0: s += *from++; *state = *from & 3; break;
        case 1: s -= atoi((const char *)from); from++; *state = 2; break;
        case 2: s *= 3; from += 2; *state = s & 7; break;
        case 3: puts("three"); from++; *state = 0; break;
        case 4: s ^= *from++; *state = 1; break;
        case 5: return s;
        }
    }
    return s;
}

// One of two functions, by a condition.
static int first(const char *x) { puts(x); return 1; }
static int second(const char *x) { return atoi(x); }
__attribute__((noinline)) int chosen(int c, const char *x)
{
    int (*volatile f)(const char *) = c > 3 ? first : second;
    return f(x);
}

// A function that is only jumped to, by one that takes no stack.
__attribute__((noinline)) static int behind(const char *x, int y)
{
    char copy[40];
    strncpy(copy, x, sizeof copy - 1);
    copy[39] = 0;
    return atoi(copy) + y;
}
__attribute__((noinline)) int before(const char *x) { return behind(x, settings.state); }

int main(int c, char **v)
{
    int s = 0;
    unsigned state = c;
    for (int i = 1; i < c; i++) {
        s += sw(atoi(v[i]), i);
        s += table[i & 3](s);
        s += cg((unsigned char *)v[i]);
        s += interpreter((const unsigned *)v[i]);
        s += by_memory(s);
        s += in_a_loop((const int *)v[i], (const int *)(v[i] + 20), &state);
        s += chosen(s, v[i]);
        s += before(v[i]);
    }
    printf("%d\n", s);
    return s;
}
