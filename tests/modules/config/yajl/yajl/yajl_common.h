/* The build copies the header to this folder. */
#include "api/yajl_common.h"
