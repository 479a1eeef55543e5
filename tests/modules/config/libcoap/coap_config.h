/* What `configure` would find on a system without threads, TLS and files. */
#define COAP_CONSTRAINED_STACK 0
#define HAVE_ASSERT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_LIMITS_H 1
#define HAVE_MALLOC 1
#define HAVE_STRNLEN 0
#define HAVE_SYS_TIME_H 1
#define HAVE_TIME_H 1
#define COAP_DISABLE_TCP 1
#define WITHOUT_ASYNC 1
#define PACKAGE_NAME "libcoap"
#define PACKAGE_STRING "libcoap"
#define PACKAGE_VERSION "4"
