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

/* The same in the other order. */
int reads_back(int *p) {
  *p = 0;
  mode = 1;
  if (*p) return 1;
  return 2;
}

/* Nothing is read after the other was written. */
int apart(int *p) {
  if (*p == 3) mode = 1;
  return 2;
}

int main(void) { return reads(0) + writes(0) + aliased(&mode) + reads_back(&mode) + apart(&mode); }
