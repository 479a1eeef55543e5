/* lwIP's decoder of SNMP's ASN.1: an element after another, each by its type. */
#define READ_ALL
#include "harness.h"
#include "snmp_asn1.h"

static void parse(unsigned char *input, size_t length)
{
    struct pbuf buffer = {.payload = input, .tot_len = (u16_t)length, .len = (u16_t)length, .ref = 1};
    struct snmp_pbuf_stream stream;
    struct snmp_asn1_tlv element;
    snmp_pbuf_stream_init(&stream, &buffer, 0, (u16_t)length);
    while (stream.length > 0 && snmp_asn1_dec_tlv(&stream, &element) == ERR_OK) {
        static u32_t identifier[SNMP_MAX_OBJ_ID_LEN];
        static u8_t text[16];
        u8_t words;
        u16_t size;
        u32_t number;
        s32_t value;
        err_t failed;
        switch (element.type) {
        case SNMP_ASN1_TYPE_INTEGER:
            failed = snmp_asn1_dec_s32t(&stream, element.value_len, &value);
            break;
        case SNMP_ASN1_TYPE_COUNTER:
            failed = snmp_asn1_dec_u32t(&stream, element.value_len, &number);
            break;
        case SNMP_ASN1_TYPE_OBJECT_ID:
            failed = snmp_asn1_dec_oid(&stream, element.value_len, identifier, &words, SNMP_MAX_OBJ_ID_LEN);
            break;
        case SNMP_ASN1_TYPE_OCTET_STRING:
            failed = snmp_asn1_dec_raw(&stream, element.value_len, text, &size, sizeof text);
            break;
        default:
            failed = snmp_pbuf_stream_seek(&stream, (s32_t)element.value_len);
        }
        if (failed != ERR_OK)
            break;
    }
}
