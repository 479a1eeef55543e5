/* Stands for the library's header where there is no operating system: the input is a volatile cell. */
volatile unsigned char in_u8;
static int read(int file, void *to, int count) {
  (void)file;
  (void)count;
  *(unsigned char *)to = in_u8;
  return 1;
}
