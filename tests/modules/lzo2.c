/* LZO1X decoder, with bounds checks. */
#define READ_ALL
#include "harness.h"
#include "lzo/lzo1x.h"

static void parse(unsigned char *input, size_t length)
{
    static unsigned char output[128];
    lzo_uint size = sizeof output;
    lzo1x_decompress_safe(input, length, output, &size, NULL);
}
