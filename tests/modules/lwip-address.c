/* lwIP's parser of IPv4 and IPv6 addresses. */
#include "harness.h"
#include "lwip/ip_addr.h"

static void parse(unsigned char *input, size_t length)
{
    ip4_addr_t four;
    ip6_addr_t six;
    (void)length;
    ip4addr_aton((const char *)input, &four);
    ip6addr_aton((const char *)input, &six);
}
