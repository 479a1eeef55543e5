/* ASN.1 (DER) parser: walks a sequence of elements as a certificate parser does. */
#define READ_ALL
#include "harness.h"
#include "mbedtls/asn1.h"

static void parse(unsigned char *input, size_t length)
{
    unsigned char *at = input, *end = input + length;
    while (at < end) {
        mbedtls_asn1_bitstring bits;
        mbedtls_asn1_buf algorithm, parameters;
        size_t size;
        int value, failed;
        switch (*at) {
        case MBEDTLS_ASN1_BOOLEAN:
            failed = mbedtls_asn1_get_bool(&at, end, &value);
            break;
        case MBEDTLS_ASN1_INTEGER:
            failed = mbedtls_asn1_get_int(&at, end, &value);
            break;
        case MBEDTLS_ASN1_ENUMERATED:
            failed = mbedtls_asn1_get_enum(&at, end, &value);
            break;
        case MBEDTLS_ASN1_BIT_STRING:
            failed = mbedtls_asn1_get_bitstring(&at, end, &bits);
            break;
        case MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE:
            failed = mbedtls_asn1_get_alg(&at, end, &algorithm, &parameters);
            break;
        default:
            failed = mbedtls_asn1_get_tag(&at, end, *at, &size);
            if (!failed)
                at += size;
        }
        if (failed)
            break;
    }
}
