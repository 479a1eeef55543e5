/* Arguments that are narrower than a register: the caller extends them. */
typedef unsigned char u8;
static const u8 table[256] = { [255] = 1 };
static const int signs[256] = { [0] = 1, [127] = 2, [255] = 3 };
int unsigned_byte(u8 a) { return table[a] ? 1 : 2; }
int signed_byte(signed char a) { return signs[a + 128] == 1 ? 1 : 2; }
int main(void) { for (;;) ; }
