/* Base64 decoder. */
#include "harness.h"
#include "b64/cdecode.h"

static void parse(unsigned char *input, size_t length)
{
    static char output[N + 1];
    base64_decodestate state;
    base64_init_decodestate(&state);
    base64_decode_block((const char *)input, (int)length, output, &state);
}
