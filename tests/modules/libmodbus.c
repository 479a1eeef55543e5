/* Modbus server: receives a request step by step and answers it. The transport is ours; its header is the slave's
   address, as on a serial line, and it has no checksum. */
#define READ_ALL
#include "harness.h"
#include "modbus-private.h"

static const unsigned char *unread;
static int left;

static int set_slave(modbus_t *context, int slave)
{
    context->slave = slave;
    return 0;
}

static int response_basis(sft_t *request, uint8_t *response)
{
    response[0] = (uint8_t)request->slave;
    response[1] = (uint8_t)request->function;
    return 2;
}

static int transaction(const uint8_t *request)
{
    (void)request;
    return 0;
}

static int before_send(uint8_t *message, int length)
{
    (void)message;
    return length;
}

static ssize_t send_nowhere(modbus_t *context, const uint8_t *message, int length)
{
    (void)context, (void)message;
    return length;
}

static ssize_t receive_some(modbus_t *context, uint8_t *to, int wanted)
{
    int i;
    (void)context;
    for (i = 0; i < wanted && left > 0; i++, left--)
        to[i] = *unread++;
    return i;
}

static int receive_message(modbus_t *context, uint8_t *to)
{
    return _modbus_receive_msg(context, to, MSG_INDICATION);
}

static int check_integrity(modbus_t *context, uint8_t *message, const int length)
{
    (void)context, (void)message;
    return length;
}

static int flush(modbus_t *context)
{
    (void)context;
    return 0;
}

static int ready(modbus_t *context, fd_set *set, struct timeval *time, int length)
{
    (void)context, (void)set, (void)time, (void)length;
    return 1;
}

static void parse(unsigned char *input, size_t length)
{
    static const modbus_backend_t backend = {
        .backend_type = _MODBUS_BACKEND_TYPE_RTU,
        .header_length = 1,
        .max_adu_length = 256,
        .set_slave = set_slave,
        .build_response_basis = response_basis,
        .get_response_tid = transaction,
        .send_msg_pre = before_send,
        .send = send_nowhere,
        .receive = receive_message,
        .recv = receive_some,
        .check_integrity = check_integrity,
        .flush = flush,
        .select = ready,
    };
    static uint8_t bits[16], input_bits[16];
    static uint16_t registers[16], input_registers[16];
    static modbus_mapping_t mapping = {
        .nb_bits = 16, .tab_bits = bits, .nb_input_bits = 16, .tab_input_bits = input_bits,
        .nb_registers = 16, .tab_registers = registers,
        .nb_input_registers = 16, .tab_input_registers = input_registers};
    static uint8_t request[MODBUS_MAX_ADU_LENGTH];
    static modbus_t context = {.slave = 1, .backend = &backend};
    int received;
    unread = input;
    left = (int)length;
    received = modbus_receive(&context, request);
    if (received > 0)
        modbus_reply(&context, request, received, &mapping);
}
