// A word that may come in part: each number of bytes is a path of its own.
// stdin: 4
// statuses: 10 11 12 13 20 21
#include <unistd.h>

int main(void) {
    int word = 0;
    switch (read(0, &word, 4)) {
    case 0: _exit(10);
    case 1: _exit(11);
    case 2: _exit(12);
    case 3: _exit(13);
    }
    if (word == 0x12345678) _exit(20);
    _exit(21);
}
