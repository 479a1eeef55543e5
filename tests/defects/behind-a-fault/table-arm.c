extern volatile unsigned char in_a;
volatile int out;
static int g(int x){ if (x > 10) return 1; return 2; }
int (*volatile fp)(int) = g;
int main(void){ int a = in_a; out = fp(*(volatile unsigned char*)(((unsigned long)&in_a & ~0xfffff) + a*1024)); return 0; }
