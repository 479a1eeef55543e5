// It prints its arguments, and needs no input.
// output: hello 2 world
// status: 7
#include <stdio.h>

int main(int count, char **arguments) {
    printf("hello %d %s\n", count, arguments[count - 1]);
    return 7;
}
