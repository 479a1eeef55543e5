/* The configuration of mbedtls: the ASN.1 parser only. */
#define MBEDTLS_ASN1_PARSE_C
