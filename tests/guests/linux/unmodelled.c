// A call of which there is no model ends the path: the code behind it is neither covered nor infeasible.
// stdin: 1..1
// open: 2
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    unsigned char byte = 0;
    read(0, &byte, 1);
    if (byte == 5) {
        if (socket(AF_INET, SOCK_STREAM, 0) < 0) _exit(2);
        _exit(3);
    }
    _exit(1);
}
