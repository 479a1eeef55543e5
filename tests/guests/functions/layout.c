/* Functions in which the layout of objects comes in indirectly: by addresses, by the number of objects, by what overlaps. */
typedef unsigned char u8;
typedef unsigned u32;
struct node {
  u32 value;
  struct node *next;
};
u8 flags[8];

/* An address that depends on where an object lies, before and after the pointer is used. */
int indexes(struct node *p) {
  for (int i = 0; i < 8; i++) flags[i] = 0;
  flags[((u32)p >> 2) & 7] = 1;
  if (flags[1]) return 1;
  return 2;
}
int indexes_later(struct node *p) {
  u8 local[4] = {0, 0, 0, 0};
  p->value = 3;
  local[((u32)p >> 2) & 3] = 1;
  if (local[1] | local[2] | local[3]) return 1;
  return 2;
}

/* More pointers that differ than there are objects. */
int differ(struct node *p, struct node *q, struct node *r) {
  if (p != q && q != r && p != r) return 1;
  return 2;
}
int third(struct node *p) {
  struct node *a = p->next;
  if (!a) return 0;
  struct node *b = a->next;
  if (!b) return 5;
  if (b != p && b != a) return 1;
  return 2;
}

/* Objects of two kinds may be one. */
int same(struct node *p, int *q) {
  if ((void *)p == (void *)q) return 1;
  return 2;
}
int overlaps(struct node *p, int *q) {
  p->value = 1;
  *q = 2;
  if (p->value == 2) return 1;
  return 2;
}
/* One object may be part of another of its kind. */
int moves(u8 *to, u8 *from) {
  from[1] = 0;
  to[0] = 7;
  if (from[1] == 7) return 1;
  return 2;
}

/* Memory that is in no section of the file. */
#define SHARED (*(volatile int *)0x30000000)
int shares(struct node *p) {
  SHARED = 0;
  p->value = 1;
  if (SHARED) return 1;
  return 2;
}

/* As signed numbers, the end of an object may be before its start. */
int signs(u8 *p) {
  if ((int)p > (int)(p + 8)) return 1;
  return 2;
}

/* What lies beside an object. */
#define BESIDE (*(volatile u32 *)0x30000000)
int beside(u32 *p) {
  BESIDE = 1;
  if (p[-4] != 1) return 1;
  return 2;
}

/* Only an interrupt, or another thread, ends this loop. */
volatile int flag;
int waits(int x) {
  flag = 0;
  if (x == 3) {
    while (!flag)
      ;
    return 1;
  }
  return 2;
}

int main(void) {
  for (;;)
    ;
}
