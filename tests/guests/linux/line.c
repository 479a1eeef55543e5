// Buffered input and output of the C library.
// stdin: 3
// statuses: 1 2 3 4
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char line[8];
    if (!fgets(line, sizeof line, stdin)) return 1;
    if (line[0] == 'q' && line[1] == '\n') return 2;
    // Each side writes, so that no compiler makes one path of both.
    if (line[0] == 'o' && line[1] == 'k') {
        puts("ok");
        return 3;
    }
    puts("a line");
    return 4;
}
