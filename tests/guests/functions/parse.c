/* A function of a buffer that is there at the start, and its length. */
typedef unsigned char u8;
typedef int i32;
u8 buffer[6];
volatile i32 reached;
i32 function(i32 length) {
  i32 value = 0, i;
  if (length < 0 || length > 6)
    return -1;
  for (i = 0; i < length; i++) {
    if (buffer[i] < '0' || buffer[i] > '9')
      return -2;
    value = 10 * value + (buffer[i] - '0');
  }
  if (value == 4711)
    reached = 1;
  return value;
}
int main(void) {
  for (;;)
    ;
}
