
#include <string.h>

#ifndef EVERYPATH_PRINT
#include <stdio.h>
#define EVERYPATH_PRINT printf
#endif

/* The bits of the result that count: 0xff for an unsigned char, 0 for a function without a result. */
#ifndef EVERYPATH_RESULT
#define EVERYPATH_RESULT (~0ul)
#endif

/* Makes memory at a fixed address usable; returns 0 if it is. By default, the bench has memory there. */
#ifndef EVERYPATH_MAP
#ifdef __linux__
#include <sys/mman.h>
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#endif
static int everypath_map(unsigned long address, unsigned long size) {
  /* Without MAP_FIXED, memory that is in use is not replaced. */
  void *mapped = mmap((void *)address, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == (void *)address) return 0;
  EVERYPATH_PRINT("memory at %#lx is not free: give the object another `address` in everypath.toml\n", address);
  return 1;
}
#define EVERYPATH_MAP(address, size) everypath_map(address, size)
#else
#define EVERYPATH_MAP(address, size) 0
#endif
#endif

/* A register. */
typedef unsigned long everypath_word;

static int everypath_result(const char *test, everypath_word found, everypath_word expected) {
  if (((found ^ expected) & EVERYPATH_RESULT) == 0) return 0;
  EVERYPATH_PRINT("test %s: the result is %#lx, expected %#lx\n", test, found, expected);
  return 1;
}

static int everypath_compare(const char *test, const char *place, const char *at, const void *found,
                             const unsigned char *expected, unsigned long size) {
  unsigned long distance;
  for (distance = 0; distance < size; distance++) {
    unsigned char byte = ((const unsigned char *)found)[distance];
    if (byte != expected[distance]) {
      EVERYPATH_PRINT("test %s: byte %lu from %s is 0x%02x, expected 0x%02x, written at %s\n", test, distance, place, byte,
                      expected[distance], at);
      return 1;
    }
  }
  return 0;
}

