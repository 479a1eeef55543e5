/* A function under test with a pointer, a number and a global variable. With another KEY, it takes the same paths and returns
   another result; with another STEP, it leaves another value in memory. */
#ifndef KEY
#define KEY 3
#endif
#ifndef STEP
#define STEP 1
#endif

struct range {
  int low, high;
  unsigned char hits;
};

unsigned total = 5;

int clamp(struct range *range, int value) {
  if (!range)
    return -KEY;
  if (value < range->low) {
    range->hits += STEP;
    total++;
    return range->low;
  }
  if (value > range->high) {
    range->hits += STEP;
    return range->high ^ KEY;
  }
  return value;
}
