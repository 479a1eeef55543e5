/* The configuration of lwIP: no operating system, both address families, SNMP. */
#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0
#define LWIP_IPV6 1
#define LWIP_SNMP 1
#define LWIP_NOASSERT
#define SNMP_USE_NETCONN 0
