/* Protocol buffers decoder. The descriptors are what its generator makes of
     message Point { required sint32 x = 1; optional fixed32 y = 2; }
     message Message { optional string name = 1; repeated uint32 value = 2 [packed]; optional Point point = 3;
                       optional bool flag = 4; } */
#define READ_ALL
#include "harness.h"
#include "pb_decode.h"

typedef struct {
    int32_t x;
    bool has_y;
    uint32_t y;
} Point;

typedef struct {
    bool has_name;
    char name[8];
    pb_size_t value_count;
    uint32_t value[4];
    bool has_point;
    Point point;
    bool has_flag;
    bool flag;
} Message;

#define Point_FIELDLIST(X, a) \
    X(a, STATIC, REQUIRED, SINT32, x, 1) \
    X(a, STATIC, OPTIONAL, FIXED32, y, 2)
#define Point_CALLBACK NULL
#define Point_DEFAULT NULL

#define Message_FIELDLIST(X, a) \
    X(a, STATIC, OPTIONAL, STRING, name, 1) \
    X(a, STATIC, REPEATED, UINT32, value, 2) \
    X(a, STATIC, OPTIONAL, MESSAGE, point, 3) \
    X(a, STATIC, OPTIONAL, BOOL, flag, 4)
#define Message_CALLBACK NULL
#define Message_DEFAULT NULL
#define Message_point_MSGTYPE Point

extern const pb_msgdesc_t Point_msg, Message_msg;
PB_BIND(Point, Point, AUTO)
PB_BIND(Message, Message, AUTO)

static void parse(unsigned char *input, size_t length)
{
    static Message message;
    pb_istream_t stream = pb_istream_from_buffer(input, length);
    pb_decode(&stream, &Message_msg, &message);
}
