/* A program of many shapes of control flow, for traces: dense and sparse switches, function pointers in constant and writable
 * tables, computed goto, recursion, callbacks from the C library, second returns of setjmp, variable arguments, 64-bit and
 * floating-point arithmetic. Linked statically, most of what it executes is the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }
static int divide(int a, int b) { return b ? a / b : -1; }

typedef int (*operation)(int, int);
static const operation constant_table[] = { add, subtract, multiply, divide };
static operation writable_table[] = { add, subtract, multiply, divide };

__attribute__((noinline)) static int dense(int n)
{
    switch (n) {
    case 0: return 3;
    case 1: puts("one"); return 5;
    case 2: return dense(0) + 1;
    case 3: printf("%d\n", n); return 9;
    case 4: return -1;
    case 5: return 11 * n;
    case 6: return n << 3;
    case 7: return n ^ 0x55;
    case 8: puts("eight"); return 8;
    default: return 0;
    }
}

__attribute__((noinline)) static const char *sparse(unsigned n)
{
    switch (n) {
    case 1: return "a";
    case 10: return "b";
    case 100: return "c";
    case 1000: return "d";
    case 100000: return "e";
    case 0xffffff00: return "f";
    default: return "?";
    }
}

/* A little machine with computed goto. */
__attribute__((noinline)) static long interpret(const unsigned char *code)
{
    static const void *const labels[] = { &&push, &&plus, &&times, &&duplicate, &&end };
    long stack[16], *top = stack;
    goto *labels[*code++];
push:
    *++top = *code++;
    goto *labels[*code++];
plus:
    top--;
    *top += top[1];
    goto *labels[*code++];
times:
    top--;
    *top *= top[1];
    goto *labels[*code++];
duplicate:
    top[1] = *top;
    top++;
    goto *labels[*code++];
end:
    return *top;
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static jmp_buf place;

__attribute__((noinline)) static void deep(int n)
{
    volatile char room[32];
    room[n & 31] = (char)n;
    if (n == 0)
        longjmp(place, 7);
    deep(n - 1);
    room[0]++;
}

__attribute__((noinline)) static int second_return(void)
{
    volatile int before = 1;
    int code = setjmp(place);
    if (code == 0) {
        before = 2;
        deep(5);
    }
    return code * 10 + before;
}

static int sum(int count, ...)
{
    va_list list;
    int total = 0;
    va_start(list, count);
    while (count--)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *tree, int key)
{
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        tree->key = key;
    } else if (key < tree->key)
        tree->left = insert(tree->left, key);
    else
        tree->right = insert(tree->right, key);
    return tree;
}

static int height(const struct node *tree)
{
    if (!tree)
        return 0;
    int left = height(tree->left), right = height(tree->right);
    return 1 + (left > right ? left : right);
}

int main(int argc, char **argv)
{
    static const unsigned char code[] = { 0, 6, 3, 2, 0, 6, 1, 4 };
    static const unsigned keys[] = { 1, 10, 100, 1000, 100000, 0xffffff00, 5 };
    int rounds = argc > 1 ? atoi(argv[1]) : 3, numbers[40];
    uint64_t state = 88172645463325252u;
    for (int round = 0; round < rounds; round++) {
        struct node *tree = NULL;
        for (int i = -1; i < 10; i++)
            printf("%d ", dense(i));
        for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
            printf("%s", sparse(keys[i]));
        for (int i = 0; i < 4; i++)
            printf(" %d %d", constant_table[i](round + 20, i), writable_table[i](i, round));
        writable_table[round & 3] = constant_table[(round + 1) & 3];
        for (int i = 0; i < 40; i++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            numbers[i] = (int)(state % 1000);
            tree = insert(tree, numbers[i]);
        }
        qsort(numbers, 40, sizeof *numbers, compare);
        int key = numbers[17];
        printf("\n%ld %d %d %d", interpret(code), second_return(), sum(4, 1, 2, 3, round), ackermann(2, 3));
        printf(" %td %d %.3f %llu\n", (int *)bsearch(&key, numbers, 40, sizeof key, compare) - numbers, height(tree),
               (double)state / 1e18, (unsigned long long)(state / 1000003));
    }
    char text[200];
    snprintf(text, sizeof text, "%-8s|%5d|%x|%e|%g|%c|%5.2f|%lld", "left", -42, 255, 12345.678, 0.0001, 'x', 2.5, -1ll << 40);
    puts(text);
    for (char *word = strtok(text, "|"); word; word = strtok(NULL, "|"))
        printf("%s %zu %ld %f\n", word, strlen(word), strtol(word, NULL, 10), strtod(word, NULL));
    struct tm day = { .tm_year = 100, .tm_mday = 60 };
    char date[64];
    mktime(&day);
    strftime(date, sizeof date, "%Y-%m-%d %a", &day);
    int found = sscanf("12 abc 3.5", "%d %s %f", numbers, text, (float *)&numbers[1]);
    printf("%s %d %s %s\n", date, found, text, getenv("HOME") ? "home" : "none");
    return strcmp(text, "abc") || !strstr(date, "2000") ? 1 : 0;
}
