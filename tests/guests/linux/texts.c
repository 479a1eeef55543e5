// An argument of up to three bytes, between two others, and a variable of one byte. Each status is reached, and no other.
// argument-bytes: 3
// variable: MODE 1
// statuses: 0 1 2 3 4 5 6
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Every end is a place of its own: a status that is computed without a branch is not a path.
#define END(status) do { __asm__ volatile("" : : "i"(status)); _exit(status); } while (0)

int main(int count, char **arguments) {
    if (count != 4 || strcmp(arguments[1], "-n") || strcmp(arguments[3], "end")) END(9);
    const char *text = arguments[2], *mode = getenv("MODE");
    if (!mode) END(8);
    if (mode[0] == 'q' && *text == '\n') END(1);
    if (mode[0] == 'q') END(2);
    if (!*text) END(0);
    if (text[0] == 'a' && text[1] == '\n' && !text[2]) END(3);
    if (text[0] == '-' && text[1] >= '0' && text[1] <= '9') {
        if (text[2]) END(5);
        END(4);
    }
    END(6);
}
