/* HTTP request and response parser. A header ends with a newline, so the whole input is read. */
#define READ_ALL
#include "harness.h"
#include "http_parser.h"

static void parse(unsigned char *input, size_t length)
{
    http_parser_settings settings;
    http_parser parser;
    http_parser_settings_init(&settings);
    http_parser_init(&parser, HTTP_BOTH);
    http_parser_execute(&parser, &settings, (const char *)input, length);
}
