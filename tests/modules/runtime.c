/* The C library of the modules: small and the same on every target, so that figures of two targets differ by the
   processor and the compiler only. Everything is plain C without tables or word tricks, as in a small firmware. */
#include <libc.h>

int errno;

void *memcpy(void *to, const void *from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    while (size--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f)
        return memcpy(to, from, size);
    while (size--)
        t[size] = f[size];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    unsigned char *t = to;
    while (size--)
        *t++ = (unsigned char)value;
    return to;
}

void *memchr(const void *in, int wanted, size_t size)
{
    const unsigned char *at = in;
    for (; size--; at++)
        if (*at == (unsigned char)wanted)
            return (void *)at;
    return NULL;
}

int memcmp(const void *left, const void *right, size_t size)
{
    const unsigned char *l = left, *r = right;
    for (; size--; l++, r++)
        if (*l != *r)
            return *l - *r;
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

int strncmp(const char *left, const char *right, size_t size)
{
    for (; size--; left++, right++) {
        if (*left != *right)
            return (unsigned char)*left - (unsigned char)*right;
        if (!*left)
            break;
    }
    return 0;
}

int strcmp(const char *left, const char *right)
{
    return strncmp(left, right, SIZE_MAX);
}

char *strchr(const char *text, int wanted)
{
    for (; *text != (char)wanted; text++)
        if (!*text)
            return NULL;
    return (char *)text;
}

char *strcpy(char *to, const char *from)
{
    memcpy(to, from, strlen(from) + 1);
    return to;
}

char *strdup(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

char *strerror(int error)
{
    (void)error;
    return "error";
}

int isdigit(int c)
{
    return c >= '0' && c <= '9';
}

int isupper(int c)
{
    return c >= 'A' && c <= 'Z';
}

int islower(int c)
{
    return c >= 'a' && c <= 'z';
}

int isalpha(int c)
{
    return isupper(c) || islower(c);
}

int isalnum(int c)
{
    return isalpha(c) || isdigit(c);
}

int isprint(int c)
{
    return c >= ' ' && c <= '~';
}

int isspace(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int isxdigit(int c)
{
    return isdigit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

int tolower(int c)
{
    return isupper(c) ? c - 'A' + 'a' : c;
}

int toupper(int c)
{
    return islower(c) ? c - 'a' + 'A' : c;
}

/* A decimal number without the special cases of the standard (hexadecimal, infinity). */
double strtod(const char *text, char **end)
{
    double value = 0, scale = 1;
    int negative = *text == '-', exponent = 0, digits = 0;
    if (*text == '-' || *text == '+')
        text++;
    for (; isdigit(*text); text++, digits++)
        value = value * 10 + (*text - '0');
    if (*text == '.')
        for (text++; isdigit(*text); text++, digits++)
            value += (*text - '0') * (scale /= 10);
    if (digits && (*text == 'e' || *text == 'E')) {
        const char *at = text + 1;
        int down = *at == '-';
        if (*at == '-' || *at == '+')
            at++;
        if (isdigit(*at)) {
            for (; isdigit(*at); at++)
                if (exponent < 400)
                    exponent = exponent * 10 + (*at - '0');
            for (; exponent; exponent--)
                value = down ? value / 10 : value * 10;
            text = at;
        }
    }
    if (end)
        *end = (char *)text;
    return negative ? -value : value;
}

/* Allocation from an arena, never reused; each block has its size before it. */
static unsigned char arena[1 << 18] __attribute__((aligned(16)));
static size_t used;

void *malloc(size_t size)
{
    size_t whole = (size + 15) & ~(size_t)7;
    if (whole < size || whole > sizeof arena - used)
        return NULL;
    unsigned char *block = arena + used + 8;
    *(size_t *)(block - 8) = size;
    used += whole;
    return block;
}

void *calloc(size_t count, size_t size)
{
    /* The arena is zero, and nothing of it is used twice. */
    return size && count > SIZE_MAX / size ? NULL : malloc(count * size);
}

void *realloc(void *old, size_t size)
{
    if (!old)
        return malloc(size);
    size_t before = *(size_t *)((unsigned char *)old - 8);
    if (size <= before)
        return old;
    void *block = malloc(size);
    return block ? memcpy(block, old, before) : NULL;
}

void free(void *old)
{
    (void)old;
}

void abort(void)
{
    for (;;)
        ;
}

/* There is no console, no file and no clock: messages vanish and waiting takes no time. */
int printf(const char *format, ...)
{
    (void)format;
    return 0;
}

int fprintf(FILE *file, const char *format, ...)
{
    (void)file, (void)format;
    return 0;
}

int vfprintf(FILE *file, const char *format, va_list arguments)
{
    (void)file, (void)format, (void)arguments;
    return 0;
}

int snprintf(char *to, size_t size, const char *format, ...)
{
    (void)format;
    if (size)
        *to = 0;
    return 0;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    (void)wanted, (void)left;
    return 0;
}
