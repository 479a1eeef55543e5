/* The rest of the program sets `mode` and `table` before it calls these functions. */
int mode;
int table[2] = {3, 4};

int reads(int x) {
  if (mode) return 1;
  return x > table[1] ? 2 : 3;
}

int writes(int x) {
  mode = x;
  if (mode == 5) return 1;
  return 2;
}

/* `p` may point to `mode`: the program does that. */
int aliased(int *p) {
  mode = 0;
  *p = 1;
  if (mode) return 1;
  return 2;
}

int main(void) { return reads(0) + writes(0) + aliased(&mode); }
