/* CSV parser. */
#include "harness.h"
#include "csv.h"

static void parse(unsigned char *input, size_t length)
{
    struct csv_parser parser;
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    csv_parse(&parser, input, length, NULL, NULL, NULL);
    csv_fini(&parser, NULL, NULL, NULL);
    csv_free(&parser);
}
