/* What the compiler calls to multiply and to divide, because the processor does neither. */
#define FOR_WIDTH(type, multiply, divide_unsigned, rest_unsigned, divide_signed, rest_signed)                          \
  unsigned type multiply(unsigned type a, unsigned type b) {                                                           \
    unsigned type product = 0;                                                                                         \
    for (; b != 0; b >>= 1, a <<= 1)                                                                                   \
      if (b & 1)                                                                                                       \
        product += a;                                                                                                  \
    return product;                                                                                                    \
  }                                                                                                                    \
  unsigned type divide_unsigned(unsigned type a, unsigned type b) {                                                    \
    unsigned type rest = 0, quotient = 0, bit = ~(~(unsigned type)0 >> 1);                                             \
    for (; bit != 0; bit >>= 1) {                                                                                      \
      rest = rest << 1 | ((a & bit) != 0);                                                                             \
      if (rest >= b) {                                                                                                 \
        rest -= b;                                                                                                     \
        quotient |= bit;                                                                                               \
      }                                                                                                                \
    }                                                                                                                  \
    return quotient;                                                                                                   \
  }                                                                                                                    \
  unsigned type rest_unsigned(unsigned type a, unsigned type b) { return a - multiply(divide_unsigned(a, b), b); }     \
  type divide_signed(type a, type b) {                                                                                 \
    unsigned type quotient = divide_unsigned(a < 0 ? -(unsigned type)a : a, b < 0 ? -(unsigned type)b : b);            \
    return (a < 0) != (b < 0) ? -quotient : quotient;                                                                  \
  }                                                                                                                    \
  type rest_signed(type a, type b) {                                                                                   \
    unsigned type rest = rest_unsigned(a < 0 ? -(unsigned type)a : a, b < 0 ? -(unsigned type)b : b);                  \
    return a < 0 ? -rest : rest;                                                                                       \
  }

FOR_WIDTH(int, __mspabi_mpyi, __mspabi_divu, __mspabi_remu, __mspabi_divi, __mspabi_remi)
FOR_WIDTH(long, __mspabi_mpyl, __mspabi_divul, __mspabi_remul, __mspabi_divli, __mspabi_remli)
