//! Semantics of the floating-point operators (IEEE 754-2019), by the soft-float library `rustc_apfloat`.

use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use super::apply::Inputs;
use super::sqrt::square_root;
use crate::{Width, Word};

/// Evaluates `$body` with the type alias `$format` for the format of this width. Other widths, which no width rule
/// allows, give `$otherwise`.
macro_rules! with_format {
    ($width:expr, $otherwise:expr, $format:ident => $body:expr) => {
        match $width.bits() {
            16 => {
                type $format = Half;
                $body
            }
            32 => {
                type $format = Single;
                $body
            }
            64 => {
                type $format = Double;
                $body
            }
            80 => {
                type $format = X87DoubleExtended;
                $body
            }
            128 => {
                type $format = Quad;
                $body
            }
            _ => $otherwise,
        }
    };
}

/// The bits of a result. Implementations differ in the sign and payload of NaN results; here every NaN is the same one.
fn encode<F: Float>(value: F) -> u128 {
    if value.is_nan() { F::qnan(None).to_bits() } else { value.to_bits() }
}

/// Defines operators on `u128`, which holds every format. They are not inlined into the dispatch.
macro_rules! meanings {
    ($( $name:ident($width:ident) $format:ident($a:ident $(, $b:ident)?) => $body:expr; )*) => {
        $(
            pub(super) fn $name<W: Word>(i: Inputs<W>) -> W {
                #[inline(never)]
                fn on_bits($width: Width, $a: u128, _second: u128) -> u128 {
                    with_format!($width, 0, $format => {
                        let $a = $format::from_bits($a);
                        $( let $b = $format::from_bits(_second); )?
                        $body
                    })
                }
                W::from_u128(on_bits(i.argument, i.a.low_u128(), i.b.low_u128()))
            }
        )*
    };
}

meanings! {
    add(width) F(a, b) => encode((a + b).value);
    sub(width) F(a, b) => encode((a - b).value);
    mul(width) F(a, b) => encode((a * b).value);
    div(width) F(a, b) => encode((a / b).value);
    sqrt(width) F(a) => encode(square_root(a));
    ceil(width) F(a) => encode(a.round_to_integral(Round::TowardPositive).value);
    floor(width) F(a) => encode(a.round_to_integral(Round::TowardNegative).value);
    round(width) F(a) => encode(a.round_to_integral(Round::NearestTiesToEven).value);
    eq(width) F(a, b) => u128::from(a == b);
    ne(width) F(a, b) => u128::from(a != b);
    lt(width) F(a, b) => u128::from(a < b);
    le(width) F(a, b) => u128::from(a <= b);
    is_nan(width) F(a) => u128::from(a.is_nan());
}

pub(super) fn neg<W: Word>(i: Inputs<W>) -> W {
    i.a ^ W::sign_bit(i.argument)
}

pub(super) fn abs<W: Word>(i: Inputs<W>) -> W {
    i.a & !W::sign_bit(i.argument)
}

pub(super) fn from_integer<W: Word>(i: Inputs<W>) -> W {
    let value = i.a.low_u128().sign_extend(i.argument) as i128;
    W::from_u128(with_format!(i.result, 0, F => F::from_i128(value).value.to_bits()))
}

pub(super) fn convert<W: Word>(i: Inputs<W>) -> W {
    fn between<From: Float + FloatConvert<To>, To: Float>(bits: u128) -> u128 {
        let value: To = From::from_bits(bits).convert(&mut false).value;
        encode(value)
    }
    let bits = i.a.low_u128();
    W::from_u128(
        with_format!(i.argument, 0, From => with_format!(i.result, 0, To => between::<From, To>(bits))),
    )
}

pub(super) fn to_integer<W: Word>(i: Inputs<W>) -> W {
    fn integral<F: Float>(bits: u128, width: Width) -> u128 {
        let value = F::from_bits(bits);
        let indefinite = u128::sign_bit(width);
        // Sign and magnitude are converted separately, because the signed conversion fails for a width of one.
        let magnitude = value.abs().to_u128_r(128, Round::TowardZero, &mut false);
        if magnitude.status.contains(Status::INVALID_OP) {
            return indefinite;
        }
        match (value.is_negative(), magnitude.value) {
            (false, magnitude) if magnitude < indefinite => magnitude,
            (true, magnitude) if magnitude <= indefinite => magnitude.wrapping_neg().truncate(width),
            _ => indefinite,
        }
    }
    let bits = i.a.low_u128();
    W::from_u128(with_format!(i.argument, 0, F => integral::<F>(bits, i.result)))
}
