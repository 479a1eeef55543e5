//! Path conditions within an instruction, for if-conversion (Allen et al. 1983) of its internal branches to selects and
//! guards.

use everypath_ir::{Bits, BlockBuilder, Op, Operand, Width};

/// The condition under which a point of an instruction is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Never,
    /// If this one-bit value is one.
    When(Operand),
    Always,
}

impl Reach {
    fn of(builder: &BlockBuilder, condition: Operand) -> Self {
        match builder.value(condition) {
            Some(value) if value.is_zero() => Self::Never,
            Some(_) => Self::Always,
            None => Self::When(condition),
        }
    }

    pub(super) fn and(self, builder: &mut BlockBuilder, condition: Operand) -> Self {
        match self {
            Self::Never => Self::Never,
            Self::Always => Self::of(builder, condition),
            Self::When(already) => {
                let both = builder.compute(Op::And, Width::W1, &[already, condition]);
                Self::of(builder, both)
            }
        }
    }

    pub(super) fn and_not(self, builder: &mut BlockBuilder, condition: Operand) -> Self {
        let opposite = builder.compute(Op::Not, Width::W1, &[condition]);
        self.and(builder, opposite)
    }

    pub(super) fn or(self, builder: &mut BlockBuilder, other: Self) -> Self {
        match (self, other) {
            (Self::Always, _) | (_, Self::Always) => Self::Always,
            (Self::Never, reach) | (reach, Self::Never) => reach,
            (Self::When(one), Self::When(two)) => {
                let opposite = builder.compute(Op::Not, Width::W1, &[two]);
                if one == opposite {
                    return Self::Always;
                }
                let either = builder.compute(Op::Or, Width::W1, &[one, two]);
                Self::of(builder, either)
            }
        }
    }

    /// The guard of a statement at this point; a point that is never reached has the guard zero.
    pub(super) fn guard(self, builder: &mut BlockBuilder) -> Option<Operand> {
        match self {
            Self::Always => None,
            Self::When(condition) => Some(condition),
            Self::Never => Some(builder.constant(Bits::zero(Width::W1))),
        }
    }
}
