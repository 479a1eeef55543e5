/* It never ends if the inputs differ by an odd number. */
unsigned char in[2];

int apart(void) {
    unsigned char one = in[0], other = in[1];
    unsigned steps = 0;
    while (one != other) {
        one += 2;
        steps++;
    }
    return (int)steps;
}
