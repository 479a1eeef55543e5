/* CoAP messages: header, token, options and payload of a datagram. */
#define READ_ALL
#include "harness.h"
#include "coap3/coap_internal.h"

/* The library's own logger would print to a file. */
coap_log_t coap_get_log_level(void)
{
    return LOG_EMERG;
}

void coap_log_impl(coap_log_t level, const char *format, ...)
{
    (void)level, (void)format;
}

static void parse(unsigned char *input, size_t length)
{
    coap_pdu_t *message = coap_pdu_init(0, 0, 0, N);
    coap_opt_iterator_t options;
    if (!message)
        return;
    if (coap_pdu_parse(COAP_PROTO_UDP, input, length, message)) {
        coap_option_iterator_init(message, &options, COAP_OPT_ALL);
        while (coap_option_next(&options))
            ;
    }
    coap_delete_pdu(message);
}
