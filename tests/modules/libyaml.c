/* YAML scanner: the input as a stream of tokens. */
#include "harness.h"
#include "yaml.h"

static void parse(unsigned char *input, size_t length)
{
    yaml_parser_t parser;
    yaml_token_t token;
    int type;
    if (!yaml_parser_initialize(&parser))
        return;
    yaml_parser_set_input_string(&parser, input, length);
    do {
        if (!yaml_parser_scan(&parser, &token))
            break;
        type = token.type;
        yaml_token_delete(&token);
    } while (type != YAML_STREAM_END_TOKEN && type != YAML_NO_TOKEN);
    yaml_parser_delete(&parser);
}
