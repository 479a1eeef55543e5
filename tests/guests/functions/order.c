/* Decisions that depend on where objects lie. */
typedef unsigned char u8;
typedef unsigned u32;
struct node { u32 value; struct node *next; };
struct node global;

/* The order of blocks in a free list: the next one may lie before or behind. */
int order(struct node *p) { return !p || !p->next ? 0 : p->next < p ? 1 : p->next > p ? 2 : 3; }
/* Packed data, a ring buffer, a copy that moves words where it can. */
int align(u8 *p) { if ((u32)p & 3) return 1; if ((u32)p & 4) return 2; return 3; }
/* Neighbours in an array. */
int neighbour(struct node *p, struct node *q) { return q == p + 1 ? 1 : 2; }
/* A variable of the program. */
int variable(struct node *p) { return p == &global ? 1 : 2; }
/* Null, the same object, places within one object: these do not depend on it. */
int plain(struct node *p, struct node *q) {
    int n = 0;
    if (!p || !q) return 0;
    if (p == q) return 1;
    for (u8 *at = (u8 *)p; at < (u8 *)p + 2; at++) if (*at == 7) n++;
    return n;
}
/* What lies behind an object. */
int beyond(u8 *p) { return p[9] == 3 ? 1 : 2; }
int main(void) { for (;;) ; }
