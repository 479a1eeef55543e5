//! The table of operators: for each its name, arity, width rule, properties and semantics.

use super::apply::Inputs;
use super::rule::{self, Rule};
use super::{float, integer};
use crate::{Width, Word};

const PLAIN: u8 = 0;
const COMMUTATIVE: u8 = 1;
const FLOAT: u8 = 2;

/// One row of the table, without the semantics.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) arity: u8,
    pub(super) rule: &'static Rule,
    properties: u8,
    /// The operator's immediate, as in `extract`; otherwise zero.
    pub(super) low: u16,
}

macro_rules! operators {
    ($(
        $(#[$documentation:meta])*
        $variant:ident $(($field:ident: $payload:ty))? =
            $name:literal, $arity:literal, $rule:ident, $properties:expr, $meaning:path;
    )*) => {
        /// A pure operator: its result depends on its arguments alone.
        ///
        /// Widths are those of [`Op::check`]. Signed means two's complement. Floating point is described in
        /// `docs/why/floating-point.md`: rounding is to nearest, ties to even, and every NaN result is the positive
        /// quiet NaN without payload, unless stated otherwise.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Op {
            $( $(#[$documentation])* $variant $(($payload))?, )*
        }

        impl Op {
            /// Every operator; one with an immediate is listed with the immediate zero.
            pub const ALL: &[Op] = &[$( Op::$variant $(({ let $field: $payload = 0; $field }))? ),*];

            #[inline]
            pub(super) const fn entry(self) -> Entry {
                match self {
                    $( Op::$variant $(($field))? => Entry {
                        name: $name,
                        arity: $arity,
                        rule: &rule::$rule,
                        properties: $properties,
                        low: 0 $(+ $field)?,
                    }, )*
                }
            }

            /// Evaluates the operator on words: `a`, `b` and `c` are the arguments (those beyond [`Op::arity`] are
            /// ignored), `argument` is the width of the first.
            ///
            /// The word must hold the result and all arguments, and the widths must satisfy [`Op::check`]; otherwise
            /// the result is unspecified, and the function may panic.
            #[inline(always)]
            pub fn apply_word<W: Word>(self, result: Width, argument: Width, a: W, b: W, c: W) -> W {
                match self {
                    $( Op::$variant $(($field))? =>
                        $meaning(Inputs { result, argument, a, b, c, low: 0 $(+ $field)? }), )*
                }
            }
        }
    };
}

operators! {
    /// Sum.
    Add = "add", 2, SAME, COMMUTATIVE, integer::add;
    /// Difference.
    Sub = "sub", 2, SAME, PLAIN, integer::sub;
    /// Product.
    Mul = "mul", 2, SAME, COMMUTATIVE, integer::mul;
    /// Unsigned quotient; all ones when the divisor is zero.
    Udiv = "udiv", 2, SAME, PLAIN, integer::udiv;
    /// Signed quotient, truncated toward zero; when the divisor is zero, 1 for a negative dividend and otherwise -1.
    Sdiv = "sdiv", 2, SAME, PLAIN, integer::sdiv;
    /// Unsigned remainder; the dividend when the divisor is zero.
    Urem = "urem", 2, SAME, PLAIN, integer::urem;
    /// Signed remainder with the sign of the dividend; the dividend when the divisor is zero.
    Srem = "srem", 2, SAME, PLAIN, integer::srem;
    /// Bitwise and.
    And = "and", 2, SAME, COMMUTATIVE, integer::and;
    /// Bitwise or.
    Or = "or", 2, SAME, COMMUTATIVE, integer::or;
    /// Bitwise exclusive or.
    Xor = "xor", 2, SAME, COMMUTATIVE, integer::xor;
    /// Bitwise complement.
    Not = "not", 1, SAME, PLAIN, integer::not;
    /// Two's complement negation.
    Neg = "neg", 1, SAME, PLAIN, integer::neg;
    /// Shift to the left by an amount of any width; zero when the amount is the width or more.
    Shl = "shl", 2, SHIFT, PLAIN, integer::shl;
    /// Shift to the right, filling with zeros; zero when the amount is the width or more.
    Lshr = "lshr", 2, SHIFT, PLAIN, integer::lshr;
    /// Shift to the right, filling with the sign; the sign in all bits when the amount is the width or more.
    Ashr = "ashr", 2, SHIFT, PLAIN, integer::ashr;
    /// Whether the arguments are equal.
    Eq = "eq", 2, COMPARE, COMMUTATIVE, integer::eq;
    /// Whether the arguments differ.
    Ne = "ne", 2, COMPARE, COMMUTATIVE, integer::ne;
    /// Unsigned less than.
    Ult = "ult", 2, COMPARE, PLAIN, integer::ult;
    /// Unsigned less than or equal.
    Ule = "ule", 2, COMPARE, PLAIN, integer::ule;
    /// Signed less than.
    Slt = "slt", 2, COMPARE, PLAIN, integer::slt;
    /// Signed less than or equal.
    Sle = "sle", 2, COMPARE, PLAIN, integer::sle;
    /// Whether the unsigned sum overflows.
    Carry = "carry", 2, COMPARE, COMMUTATIVE, integer::carry;
    /// Whether the signed sum overflows.
    Scarry = "scarry", 2, COMPARE, COMMUTATIVE, integer::scarry;
    /// Whether the signed difference overflows.
    Sborrow = "sborrow", 2, COMPARE, PLAIN, integer::sborrow;
    /// The value with zeros above.
    Zext = "zext", 1, EXTEND, PLAIN, integer::zext;
    /// The value with its sign repeated above.
    Sext = "sext", 1, EXTEND, PLAIN, integer::sext;
    /// The bits from the given one upwards, as many as the result has.
    Extract(low: u16) = "extract", 1, EXTRACT, PLAIN, integer::extract;
    /// The first argument above the second.
    Concat = "concat", 2, CONCAT, PLAIN, integer::concat;
    /// The second argument if the first, of one bit, is one; otherwise the third.
    Select = "select", 3, SELECT, PLAIN, integer::select;
    /// The number of ones, truncated to the result.
    Popcount = "popcount", 1, ANY, PLAIN, integer::popcount;
    /// The number of zeros above the highest one within the argument, truncated to the result.
    Lzcount = "lzcount", 1, ANY, PLAIN, integer::lzcount;
    /// Floating-point sum.
    Fadd = "fadd", 2, FLOAT_SAME, FLOAT | COMMUTATIVE, float::add;
    /// Floating-point difference.
    Fsub = "fsub", 2, FLOAT_SAME, FLOAT, float::sub;
    /// Floating-point product.
    Fmul = "fmul", 2, FLOAT_SAME, FLOAT | COMMUTATIVE, float::mul;
    /// Floating-point quotient.
    Fdiv = "fdiv", 2, FLOAT_SAME, FLOAT, float::div;
    /// The value with its sign bit inverted, even if it is not a number.
    Fneg = "fneg", 1, FLOAT_SAME, FLOAT, float::neg;
    /// The value with its sign bit cleared, even if it is not a number.
    Fabs = "fabs", 1, FLOAT_SAME, FLOAT, float::abs;
    /// Square root, correctly rounded.
    Fsqrt = "fsqrt", 1, FLOAT_SAME, FLOAT, float::sqrt;
    /// The least integral value that is not less.
    Fceil = "fceil", 1, FLOAT_SAME, FLOAT, float::ceil;
    /// The greatest integral value that is not greater.
    Ffloor = "ffloor", 1, FLOAT_SAME, FLOAT, float::floor;
    /// The nearest integral value, of two equally near ones the even one.
    ///
    /// This is what processors do by default. Ghidra's C++ emulator of p-code rounds halves away from zero instead;
    /// the p-code reference says only "nearest".
    Fround = "fround", 1, FLOAT_SAME, FLOAT, float::round;
    /// Whether the values are equal: zeros of both signs are, and what is not a number never is.
    Feq = "feq", 2, FLOAT_COMPARE, FLOAT | COMMUTATIVE, float::eq;
    /// The opposite of `feq`.
    Fne = "fne", 2, FLOAT_COMPARE, FLOAT | COMMUTATIVE, float::ne;
    /// Less than; false if one of the values is not a number.
    Flt = "flt", 2, FLOAT_COMPARE, FLOAT, float::lt;
    /// Less than or equal; false if one of the values is not a number.
    Fle = "fle", 2, FLOAT_COMPARE, FLOAT, float::le;
    /// Whether the value is not a number.
    Fisnan = "fisnan", 1, FLOAT_COMPARE, FLOAT, float::is_nan;
    /// The floating-point value nearest to a signed integer.
    Int2float = "int2float", 1, INTEGER_TO_FLOAT, FLOAT, float::from_integer;
    /// The value in another floating-point format.
    Float2float = "float2float", 1, FLOAT_TO_FLOAT, FLOAT, float::convert;
    /// The signed integer nearest to the value toward zero. What is not a number or does not fit gives the most
    /// negative integer, the *integer indefinite* value of x86 processors.
    Float2int = "float2int", 1, FLOAT_TO_INTEGER, FLOAT, float::to_integer;
}

impl Op {
    /// The name in the text form, without the immediate.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The operator of this name; one with an immediate gets the immediate zero.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// The number of arguments.
    #[inline]
    #[must_use]
    pub const fn arity(self) -> usize {
        self.entry().arity as usize
    }

    /// Whether the arguments or the result are floating-point values.
    #[must_use]
    pub const fn is_float(self) -> bool {
        self.entry().properties & FLOAT != 0
    }

    /// Whether the operator is commutative.
    #[must_use]
    pub const fn is_commutative(self) -> bool {
        self.entry().properties & COMMUTATIVE != 0
    }
}
