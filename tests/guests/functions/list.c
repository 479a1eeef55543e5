/* A function of a list: its fault needs a list of exactly four cells. Lists may be cyclic. */
typedef int i32;
struct cell {
  i32 value;
  struct cell *next;
};
volatile i32 reached;
i32 function(struct cell *list) {
  i32 count = 0;
  while (list != 0) {
    if (++count > 5)
      return 2;
    list = list->next;
  }
  if (count == 4) {
    reached = 1;
    return 1;
  }
  return 0;
}
int main(void) {
  for (;;)
    ;
}
