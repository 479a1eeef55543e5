/* JSON parser with callbacks: lexer, parser and string decoder. */
#include "harness.h"
#include "api/yajl_parse.h"

static int on_integer(void *context, long long value)
{
    (void)context, (void)value;
    return 1;
}

static int on_string(void *context, const unsigned char *text, size_t length)
{
    (void)context, (void)text, (void)length;
    return 1;
}

static void parse(unsigned char *input, size_t length)
{
    static const yajl_callbacks callbacks = {
        .yajl_integer = on_integer, .yajl_string = on_string, .yajl_map_key = on_string};
    yajl_handle handle = yajl_alloc(&callbacks, NULL, NULL);
    yajl_config(handle, yajl_allow_comments, 1);
    if (yajl_parse(handle, input, length) == yajl_status_ok)
        yajl_complete_parse(handle);
    yajl_free(handle);
}
