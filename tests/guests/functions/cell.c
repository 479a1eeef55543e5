/* A function of a number and a pointer: its fault needs a cell that points to itself. */
typedef int i32;
struct cell {
  i32 value;
  struct cell *next;
};
volatile i32 reached;
i32 function(i32 x, struct cell *cell) {
  if (x > 0)
    if (cell != 0)
      if (2 * x + 1 == cell->value)
        if (cell->next == cell) {
          reached = 1;
          return 1;
        }
  return 0;
}
int main(void) {
  for (;;)
    ;
}
