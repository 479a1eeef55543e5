#include <libc.h>
