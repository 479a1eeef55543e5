/* Reads levels from a device, keeps them, and drives an actuator: what exported tests compare. With another KEY, the program
   takes the same paths and writes other values to the actuator; with another SEED, it leaves other values in memory. ACTUATOR
   is the address of the actuator, if it is not a variable. */
#ifndef KEY
#define KEY 3
#endif
#ifndef SEED
#define SEED 9
#endif
typedef unsigned char u8;
typedef unsigned int u32;

volatile u8 in_u8;   /* the sensor */
#ifdef ACTUATOR
#define in_i32 (*(volatile int *)ACTUATOR)
#else
volatile int in_i32; /* the actuator */
#endif
u32 history[4];
u32 sum;

__attribute__((noinline)) static void drive(u32 level) {
  in_i32 = (int)(level ^ KEY);
}

int main(void) {
  u32 number;
  sum = SEED;
  for (number = 0; number < 4; number++) {
    u32 level = in_u8;
    if (level > 100)
      drive(level);
    else if (level == 7)
      drive(0);
    history[number] = level;
    sum += level;
  }
  for (;;) {
  }
}
