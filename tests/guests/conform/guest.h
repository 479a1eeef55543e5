/* Put before a guest of ../classic: its input comes from an array, without an operating system or a library. */
#define IO_H
typedef unsigned char u8;
typedef unsigned short u16;
#if __SIZEOF_INT__ < 4
typedef unsigned long u32;
typedef long i32;
#else
typedef unsigned int u32;
typedef int i32;
#endif

u8 get_u8(void);
i32 get_i32(void);
/* What a guest calls where its goal is reached. */
void ERROR_(void);
