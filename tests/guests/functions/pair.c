/* A function of two pointers, which may be equal: two objects are enough. */
typedef int i32;
struct cell {
  i32 value;
};
volatile i32 reached;
i32 function(struct cell *first, struct cell *second) {
  if (first->value == second->value)
    reached = 1;
  return reached;
}
int main(void) {
  for (;;)
    ;
}
