//! Each rewrite rule has its effect.

use everypath_term::{Evaluation, Input, Model, Terms};

use everypath_testkit::random::Random;

/// Terms before and after simplification.
const RULES: &str = "
# sums
add:8 (add:8 i0 0x1:8) 0x2:8                        => add:8 i0 0x3:8
sub:8 i0 0x1:8                                      => add:8 i0 0xff:8
sub:8 (add:8 i0 i1) i0                              => i1
sub:8 i0 (add:8 i0 i1)                              => neg:8 i1
add:8 (sub:8 i0 i1) i1                              => i0
add:8 i0 (neg:8 i1)                                 => sub:8 i0 i1
add:8 (add:8 i0 0x5:8) i1                           => add:8 (add:8 i0 i1) 0x5:8
sub:8 (add:8 i0 0x5:8) (add:8 i1 0x3:8)             => add:8 (sub:8 i0 i1) 0x2:8
add:8 (not:8 i0) 0x1:8                              => neg:8 i0
neg:8 (not:8 i0)                                    => add:8 i0 0x1:8
add:8 i0 i0                                         => concat:8 (extract.0:7 i0) 0x0:1
mul:8 (mul:8 i0 0x3:8) 0x5:8                        => mul:8 i0 0xf:8
mul:8 (add:8 i0 0x1:8) 0x3:8                        => add:8 (mul:8 i0 0x3:8) 0x3:8
mul:8 i0 0x4:8                                      => concat:8 (extract.0:6 i0) 0x0:2
mul:8 i0 0xff:8                                     => neg:8 i0
add:16 (concat:16 i0 0x5:8) 0x3:16                  => concat:16 i0 0x8:8
concat:16 (zext:8 (carry:1 i0 i1)) (add:8 i0 i1)    => add:16 (zext:16 i0) (zext:16 i1)
concat:16 (add:8 (zext:8 (carry:1 i0 i1)) (zext:8 (carry:1 i2 (add:8 i0 i1)))) (add:8 i2 (add:8 i0 i1)) => add:16 (add:16 (zext:16 i0) (zext:16 i1)) (zext:16 i2)
concat:16 (add:8 i3 (zext:8 (carry:1 i0 i1))) (add:8 i0 i1) => add:16 (concat:16 i3 i0) (zext:16 i1)
and:1 (eq:1 (add:8 i2 (add:8 i0 i1)) 0x22:8) (eq:1 (add:8 (zext:8 (carry:1 i0 i1)) (zext:8 (carry:1 i2 (add:8 i0 i1)))) 0x1:8) => eq:1 (add:16 (add:16 (zext:16 i0) (zext:16 i1)) (zext:16 i2)) 0x122:16
and:1 (eq:1 (add:8 i2 (add:8 i0 i1)) 0x22:8) (eq:1 (add:8 (zext:8 (carry:1 i0 i1)) (zext:8 (carry:1 i2 (add:8 i0 i1)))) (zext:8 (ult:1 (add:8 i2 (add:8 i0 i1)) 0x22:8))) => eq:1 (add:16 (add:16 (zext:16 i0) (zext:16 i1)) (zext:16 i2)) 0x22:16
ult:1 (add:8 (zext:8 (carry:1 i0 i1)) (zext:8 (carry:1 i2 (add:8 i0 i1)))) (zext:8 (ult:1 (add:8 i2 (add:8 i0 i1)) 0x22:8)) => ult:1 (add:16 (add:16 (zext:16 i0) (zext:16 i1)) (zext:16 i2)) 0x22:16
# quotients
udiv:8 i0 0x10:8                                    => zext:8 (extract.4:4 i0)
urem:8 i0 0x10:8                                    => zext:8 (extract.0:4 i0)
udiv:8 i0 0x0:8                                     => 0xff:8
urem:8 i0 0x0:8                                     => i0
sdiv:16 (zext:16 i0) 0x3:16                         => zext:16 (udiv:8 i0 0x3:8)
urem:16 (zext:16 i0) (zext:16 i1)                   => zext:16 (urem:8 i0 i1)
udiv:16 (zext:16 i0) 0x100:16                       => 0x0:16
sub:8 i0 (mul:8 (udiv:8 i0 i1) i1)                  => urem:8 i0 i1
sub:8 i0 (mul:8 i1 (sdiv:8 i0 i1))                  => srem:8 i0 i1
add:8 (mul:8 (udiv:8 i0 i1) i1) (urem:8 i0 i1)      => i0
add:8 (srem:8 i0 i1) (mul:8 (sdiv:8 i0 i1) i1)      => i0
# shifts
shl:8 i0 0x3:8                                      => concat:8 (extract.0:5 i0) 0x0:3
lshr:8 i0 0x3:4                                     => zext:8 (extract.3:5 i0)
ashr:8 i0 0x3:8                                     => sext:8 (extract.3:5 i0)
ashr:8 i0 0x40:8                                    => sext:8 (extract.7:1 i0)
ashr:16 (zext:16 i0) i1                             => lshr:16 (zext:16 i0) i1
shl:8 i0 (zext:32 i1)                               => shl:8 i0 i1
shl:8 (add:8 i0 0x1:8) 0x2:8                        => add:8 (concat:8 (extract.0:6 i0) 0x0:2) 0x4:8
or:8 (shl:8 i0 0x3:8) (lshr:8 i0 0x5:8)             => concat:8 (extract.0:5 i0) (extract.5:3 i0)
# bits
and:8 i0 0xf:8                                      => zext:8 (extract.0:4 i0)
and:8 i0 0xf0:8                                     => concat:8 (extract.4:4 i0) 0x0:4
and:8 i0 0x18:8                                     => zext:8 (concat:5 (extract.3:2 i0) 0x0:3)
and:16 (zext:16 i0) 0xff:16                         => zext:16 i0
extract.4:8 (concat:16 i1 i0)                       => concat:8 (extract.0:4 i1) (extract.4:4 i0)
extract.8:8 (sext:16 i0)                            => sext:8 (extract.7:1 i0)
extract.0:8 (add:16 (zext:16 i0) (zext:16 i1))      => add:8 i0 i1
extract.8:8 (and:16 (concat:16 i1 i0) 0xff0f:16)    => i1
extract.0:8 (xor:16 (concat:16 i1 i0) (zext:16 i2)) => xor:8 i0 i2
extract.1:1 (or:8 (and:8 i0 0xfd:8) (and:8 i1 0x2:8)) => extract.1:1 i1
extract.4:2 (or:8 (and:8 i0 0xfd:8) (and:8 i1 0x2:8)) => extract.4:2 i0
extract.0:4 (select:8 (eq:1 i0 i1) 0x12:8 0x34:8)   => select:4 (eq:1 i0 i1) 0x2:4 0x4:4
concat:16 (extract.8:8 (mul:16 (zext:16 i0) (zext:16 i1))) (extract.0:8 (mul:16 (zext:16 i0) (zext:16 i1))) => mul:16 (zext:16 i0) (zext:16 i1)
concat:24 (concat:16 i0 i1) i2                      => concat:24 i0 (concat:16 i1 i2)
concat:16 0x0:8 i0                                  => zext:16 i0
concat:16 (sext:8 (extract.7:1 i0)) i0              => sext:16 i0
concat:24 0x1:8 (concat:16 0x2:8 i0)                => concat:24 0x102:16 i0
or:16 (shl:16 (zext:16 i0) 0x8:8) (zext:16 i1)      => concat:16 i0 i1
add:16 (mul:16 (zext:16 i0) 0x100:16) (zext:16 i1)  => concat:16 i0 i1
or:32 (concat:32 i0 (zext:24 i1)) (shl:32 (zext:32 i2) 0x8:8) => concat:32 i0 (zext:24 (concat:16 i2 i1))
xor:8 (xor:8 i0 i1) i0                              => i1
sext:16 (and:8 i0 0x7f:8)                           => zext:16 (extract.0:7 i0)
popcount:8 (zext:64 i0)                             => popcount:8 i0
# comparisons
ule:1 i0 0x7:8                                      => ult:1 i0 0x8:8
sle:1 0x7:8 i0                                      => slt:1 0x6:8 i0
sle:1 i0 0x7f:8                                     => 0x1:1
not:1 (ult:1 i0 i1)                                 => ule:1 i1 i0
ult:1 (zext:32 i0) 0x100:32                         => 0x1:1
ult:1 (zext:32 i0) 0x41:32                          => ult:1 i0 0x41:8
slt:1 (zext:32 i0) (zext:32 i1)                     => ult:1 i0 i1
slt:1 (sext:32 i0) 0xffffffff:32                    => slt:1 i0 0xff:8
slt:1 (concat:16 i0 i1) 0x0:16                      => slt:1 i0 0x0:8
ult:1 (concat:16 i0 i1) 0x1200:16                   => ult:1 i0 0x12:8
ult:1 (add:8 i0 i1) i0                              => carry:1 i0 i1
carry:1 i0 0x1:8                                    => eq:1 i0 0xff:8
eq:1 (zext:32 i0) 0x141:32                          => 0x0:1
eq:1 (sext:32 i0) 0xfffffffe:32                     => eq:1 i0 0xfe:8
eq:1 (concat:16 i0 0x12:8) 0x3412:16                => eq:1 i0 0x34:8
eq:1 (concat:16 i0 0x12:8) 0x3413:16                => 0x0:1
eq:1 (mul:8 i0 0x3:8) 0x9:8                         => eq:1 i0 0x3:8
eq:1 (and:8 i0 0x8:8) 0x0:8                         => not:1 (extract.3:1 i0)
eq:1 (sub:8 0x5:8 i0) 0x2:8                         => eq:1 i0 0x3:8
eq:1 (or:8 i0 i1) 0x0:8                             => and:1 (eq:1 i0 0x0:8) (eq:1 i1 0x0:8)
eq:1 (select:8 (ult:1 i0 i1) 0x5:8 i2) 0x5:8        => or:1 (ult:1 i0 i1) (eq:1 i2 0x5:8)
eq:1 (zext:16 i0) (zext:16 i1)                      => eq:1 i0 i1
eq:1 (concat:16 i0 i1) (concat:16 i0 i2)            => eq:1 i1 i2
eq:1 (xor:8 i0 i1) (xor:8 i0 i2)                    => eq:1 i1 i2
eq:1 (xor:8 i0 i2) (xor:8 i1 i2)                    => eq:1 i0 i1
eq:1 (xor:8 i0 i1) (xor:8 i1 i2)                    => eq:1 i0 i2
eq:1 (xor:8 i1 i2) (xor:8 i0 i1)                    => eq:1 i0 i2
eq:1 (xor:8 i0 i1) i0                               => eq:1 i1 0x0:8
eq:1 (mul:8 i0 (add:8 i1 i2)) (add:8 (mul:8 i0 i1) (mul:8 i0 i2)) => 0x1:1
eq:1 (add:8 (mul:8 i0 i1) 0x1:8) (mul:8 i1 i0)      => 0x0:1
eq:1 (add:8 (add:8 i0 i1) i2) (add:8 i2 i0)         => eq:1 i1 0x0:8
eq:1 (mul:8 i0 0x6:8) (add:8 (mul:8 i1 0x4:8) 0x3:8) => 0x0:1
eq:1 (shl:8 i0 0x1:8) (sub:8 (mul:8 i0 0x3:8) i0)   => 0x1:1
eq:1 (add:8 (shl:8 i0 0x2:8) i1) (mul:8 i0 0x4:8)   => eq:1 i1 0x0:8
# flags of processors
ne:1 (sborrow:1 i0 i1) (slt:1 (sub:8 i0 i1) 0x0:8)  => slt:1 i0 i1
xor:1 (slt:1 (sub:8 i0 0x5:8) 0x0:8) (sborrow:1 i0 0x5:8) => slt:1 i0 0x5:8
eq:1 (extract.7:1 (sub:8 i0 i1)) (sborrow:1 i0 i1)  => sle:1 i1 i0
ne:1 (scarry:1 i0 0xfb:8) (slt:1 (add:8 i0 0xfb:8) 0x0:8) => slt:1 i0 0x5:8
eq:1 (sub:8 i0 i1) 0x0:8                            => eq:1 i0 i1
or:1 (eq:1 (sub:8 i0 i1) 0x0:8) (ne:1 (sborrow:1 i0 i1) (slt:1 (sub:8 i0 i1) 0x0:8)) => sle:1 i0 i1
and:1 (not:1 (ult:1 i0 0x5:8)) (ne:1 i0 0x5:8)      => ult:1 0x5:8 i0
or:1 (ult:1 i0 0x5:8) (eq:1 i0 0x5:8)               => ult:1 i0 0x6:8
and:1 (eq:1 i0 0x5:8) (eq:1 i0 0x6:8)               => 0x0:1
and:1 (eq:1 i0 0x5:8) (ult:1 i0 0x6:8)              => eq:1 i0 0x5:8
or:1 (ult:1 i0 i1) (ule:1 i1 i0)                    => 0x1:1
# choices
select:8 (eq:1 i0 i1) i0 i1                         => i1
select:8 (ne:1 i0 i1) i2 i3                         => select:8 (eq:1 i0 i1) i3 i2
select:8 (ult:1 i0 i1) (select:8 (ult:1 i0 i1) i2 i3) i4 => select:8 (ult:1 i0 i1) i2 i4
select:8 (ult:1 i0 i1) i2 (select:8 (ult:1 i1 i2) i2 i3) => select:8 (or:1 (ult:1 i0 i1) (ult:1 i1 i2)) i2 i3
select:8 (ult:1 i0 i1) i2 (select:8 (ult:1 i1 i2) i3 i2) => select:8 (and:1 (ult:1 i1 i2) (ule:1 i1 i0)) i3 i2
select:8 (ult:1 i0 i1) (select:8 (ult:1 i1 i2) i2 i3) i3 => select:8 (and:1 (ult:1 i0 i1) (ult:1 i1 i2)) i2 i3
select:8 (ult:1 i0 i1) (select:8 (ult:1 i1 i2) i3 i2) i3 => select:8 (and:1 (ult:1 i0 i1) (ule:1 i2 i1)) i2 i3
select:8 (ult:1 i0 i1) i2 (select:8 (ule:1 i1 i0) i3 i4) => select:8 (ult:1 i0 i1) i2 i3
select:1 (ult:1 i0 i1) 0x0:1 (eq:1 i2 i3)           => and:1 (eq:1 i2 i3) (ule:1 i1 i0)
select:1 (ult:1 i0 i1) (eq:1 i2 i3) 0x1:1           => or:1 (eq:1 i2 i3) (ule:1 i1 i0)
select:16 (ult:1 i0 i1) (zext:16 i2) 0x12:16        => zext:16 (select:8 (ult:1 i0 i1) i2 0x12:8)
zext:16 (select:8 (ult:1 i0 i1) 0x3:8 0x5:8)        => select:16 (ult:1 i0 i1) 0x3:16 0x5:16
and:1 (ult:1 i0 i1) (or:1 (ult:1 i0 i1) (eq:1 i2 i3)) => ult:1 i0 i1
# known bits and ranges
ult:1 (urem:8 i0 0xa:8) 0xa:8                       => 0x1:1
eq:1 (or:8 i0 0x1:8) 0x2:8                          => 0x0:1
ult:1 (add:16 (zext:16 i0) (zext:16 i1)) 0x200:16   => 0x1:1
ult:1 0x8:8 (popcount:8 i0)                         => 0x0:1
and:8 (zext:8 (extract.0:4 i0)) 0xf0:8              => 0x0:8
ult:1 (read (table:8 x0102030405060708) i0) 0x9:8    => 0x1:1
# what nearly is the left side of a rule stays as it is
add:16 (concat:16 i0 0xff:8) 0x3:16                 => add:16 (concat:16 i0 0xff:8) 0x3:16
ult:1 (concat:16 i0 i1) 0x1201:16                   => ult:1 (concat:16 i0 i1) 0x1201:16
eq:1 (mul:8 i0 0x6:8) 0x9:8                         => 0x0:1
eq:1 (mul:8 i0 0x6:8) 0x8:8                         => eq:1 (mul:8 i0 0x6:8) 0x8:8
ne:1 (sborrow:1 i0 i1) (slt:1 (sub:8 i1 i0) 0x0:8)  => ne:1 (sborrow:1 i0 i1) (slt:1 (sub:8 i1 i0) 0x0:8)
slt:1 (zext:16 i0) (sext:16 i1)                     => slt:1 (zext:16 i0) (sext:16 i1)
udiv:16 (zext:16 i0) (zext:16 i1)                   => udiv:16 (zext:16 i0) (zext:16 i1)
extract.0:8 (mul:16 (zext:16 i0) (zext:16 i1))      => extract.0:8 (mul:16 (zext:16 i0) (zext:16 i1))
concat:9 (extract.6:1 i0) i0                        => concat:9 (extract.6:1 i0) i0
and:1 (ne:1 i0 0x5:8) (ult:1 i0 0x5:8)              => ult:1 i0 0x5:8
and:1 (ne:1 i0 0x4:8) (ult:1 i0 0x6:8)              => and:1 (ne:1 i0 0x4:8) (ult:1 i0 0x6:8)
";

/// Parses both sides; the left one simplified must be the right one.
#[test]
fn rules_do_their_work() {
    let mut failed = Vec::new();
    let mut random = Random::new(51);
    let values = [0, 4, 0x11, 0x33, 0x7e, 0xfd, random.number() as u8];
    for line in RULES.lines().filter(|line| line.contains("=>")) {
        let (given, expected) = line.split_once("=>").expect("just looked for");
        let mut terms = Terms::new();
        // Inputs in order, so that commutative arguments are ordered by input number.
        for number in 0..5 {
            terms.input(Input(number));
        }
        let given = terms.parse(given).unwrap_or_else(|error| panic!("{line}: {error}"))[0];
        let expected = terms.parse(expected).unwrap_or_else(|error| panic!("{line}: {error}"))[0];
        let found = terms.simplify(&[given])[0];
        if found != expected {
            failed.push(format!("{line}\n    but: {}", terms.text(found)));
        }
        assert_eq!(terms.simplify(&[found]), [found], "{line}: what is simple stays");
        for _ in 0..100 {
            let bytes = [0; 5].map(|_: u8| random.pick(&values).wrapping_add(random.below(3) as u8));
            let mut evaluation = Evaluation::new(Model::from_bytes(&bytes));
            let (value, other) = (evaluation.value(&terms, given), evaluation.value(&terms, found));
            assert_eq!(value, other, "{line} under {bytes:?}");
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
