/* What all guests with seeded faults share: two volatile inputs, and a main that never returns. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef int i32;
volatile i32 in_i32;
volatile u8 in_u8;
volatile i32 out;
static void prog(void);
int main(void) {
  prog();
  for (;;)
    ;
}
