/* The part of the C library that the modules use, the same on every target: `runtime.c` implements it.
   The other headers of this folder only include this one. */
#ifndef LIBC_H
#define LIBC_H
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef long ssize_t;
typedef long time_t;
typedef long suseconds_t;
typedef int clockid_t;

/* string.h */
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
void *memchr(const void *in, int wanted, size_t size);
int memcmp(const void *left, const void *right, size_t size);
size_t strlen(const char *text);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t size);
char *strchr(const char *text, int wanted);
char *strrchr(const char *text, int wanted);
char *strstr(const char *text, const char *wanted);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *strcat(char *to, const char *from);
char *strdup(const char *text);
char *strerror(int error);

/* stdlib.h */
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void free(void *old);
void abort(void);
void exit(int status);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
double strtod(const char *text, char **end);
int atoi(const char *text);

/* ctype.h */
int isalnum(int c);
int isalpha(int c);
int isdigit(int c);
int islower(int c);
int isprint(int c);
int isspace(int c);
int isupper(int c);
int isxdigit(int c);
int tolower(int c);
int toupper(int c);

/* errno.h */
extern int errno;
#define EINTR 4
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EINVAL 22
#define EPIPE 32
#define ERANGE 34
#define ENOPROTOOPT 92
#define ECONNRESET 104
#define ETIMEDOUT 110
#define ECONNREFUSED 111

/* stdio.h: what `runtime.c` does not define is in functions that the linker drops. */
typedef struct file FILE;
#define EOF (-1)
#define stdout ((FILE *)0)
#define stderr ((FILE *)0)
int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int sprintf(char *to, const char *format, ...);
int snprintf(char *to, size_t size, const char *format, ...);
int vsnprintf(char *to, size_t size, const char *format, va_list arguments);
int vfprintf(FILE *file, const char *format, va_list arguments);
int sscanf(const char *text, const char *format, ...);
size_t fread(void *to, size_t size, size_t count, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int fflush(FILE *file);
int ferror(FILE *file);

/* math.h */
#define HUGE_VAL __builtin_huge_val()
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
double fabs(double x);
double floor(double x);
double pow(double x, double y);

/* assert.h: as in a release build. */
#define assert(condition) ((void)0)

/* time.h, sys/time.h, sys/select.h, unistd.h */
struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
typedef struct {
    unsigned long bits[2];
} fd_set;
#define FD_ZERO(set) ((void)((set)->bits[0] = (set)->bits[1] = 0))
#define FD_SET(file, set) ((void)((set)->bits[0] |= 1ul << (file)))
int nanosleep(const struct timespec *wanted, struct timespec *left);
int usleep(unsigned microseconds);
time_t time(time_t *now);

/* inttypes.h */
#define PRIu32 "u"
#define PRId32 "d"
#define PRIx32 "x"

/* netinet/in.h, sys/socket.h, arpa/inet.h: types that headers name. */
typedef unsigned socklen_t;
typedef unsigned short sa_family_t;
struct in_addr {
    uint32_t s_addr;
};
struct in6_addr {
    uint8_t s6_addr[16];
};
#define INADDR_ANY 0u
extern const struct in6_addr in6addr_any;
#define AF_INET 2
#define AF_INET6 10
struct sockaddr {
    sa_family_t sa_family;
    char sa_data[14];
};
struct sockaddr_in {
    sa_family_t sin_family;
    uint16_t sin_port;
    struct in_addr sin_addr;
};
struct sockaddr_in6 {
    sa_family_t sin6_family;
    uint16_t sin6_port;
    struct in6_addr sin6_addr;
    uint32_t sin6_scope_id;
};
#define htons(x) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? (uint16_t)(x) : __builtin_bswap16(x))
#define htonl(x) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? (uint32_t)(x) : __builtin_bswap32(x))
#define ntohs htons
#define ntohl htonl
#endif
