/* The compiler and processor, as lwIP wants to know them. */
#define LWIP_PLATFORM_DIAG(message) ((void)0)
#define LWIP_PLATFORM_ASSERT(message) ((void)0)
#define LWIP_NO_UNISTD_H 1
#define BYTE_ORDER __BYTE_ORDER__
#define LITTLE_ENDIAN __ORDER_LITTLE_ENDIAN__
#define BIG_ENDIAN __ORDER_BIG_ENDIAN__
