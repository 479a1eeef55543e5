/* LZ4 block decoder, with bounds checks. */
#define READ_ALL
#include "harness.h"
#include "lz4.h"

static void parse(unsigned char *input, size_t length)
{
    static char output[128];
    LZ4_decompress_safe((const char *)input, output, (int)length, sizeof output);
}
