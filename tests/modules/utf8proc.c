/* UTF-8 decoder with Unicode normalisation. */
#include "harness.h"
#include "utf8proc.h"

static void parse(unsigned char *input, size_t length)
{
    static utf8proc_int32_t points[8 * N + 1];
    utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD;
    utf8proc_ssize_t count = utf8proc_decompose(input, (utf8proc_ssize_t)length, points, 8 * N, options);
    if (count > 0 && count <= 8 * N)
        utf8proc_reencode(points, count, options);
}
