/* JSON tokenizer. */
#include "harness.h"
#include "jsmn.h"

static void parse(unsigned char *input, size_t length)
{
    static jsmntok_t tokens[16];
    jsmn_parser parser;
    jsmn_init(&parser);
    jsmn_parse(&parser, (const char *)input, length, tokens, 16);
}
