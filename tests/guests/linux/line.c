// Buffered input and output of the C library.
// stdin: 3
// statuses: 1 2 3 4
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char line[8];
    if (!fgets(line, sizeof line, stdin)) return 1;
    if (line[0] == 'q' && line[1] == '\n') return 2;
    printf("first %d\n", line[0]);
    fflush(stdout);
    if (line[0] == 'o' && line[1] == 'k') return 3;
    return 4;
}
