/* What all guests with seeded faults share: two volatile inputs, and a main that never returns. */
typedef unsigned char u8;
#if defined(__SDCC) || (defined(__SIZEOF_INT__) && __SIZEOF_INT__ < 4)
typedef unsigned long u32;
typedef long i32;
#else
typedef unsigned int u32;
typedef int i32;
#endif
volatile i32 in_i32;
volatile u8 in_u8;
volatile i32 out;
static void prog(void);
int main(void) {
  prog();
  for (;;)
    ;
}
