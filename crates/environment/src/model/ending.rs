//! Operations that end the run, or hand it over to an operating system.

use super::definition::{Call, Model};
use everypath_ir::{Bits, Op, Width};
use everypath_machine::Fault;
use serde::Deserialize;
use std::sync::Arc;

/// The status with which a run ends that stops itself.
const STOPPED: u64 = 0;

pub(super) const STOP: Model = Model {
    name: "stop",
    what: "the run ends here: waiting for an interrupt that does not come, a halt",
    ends: true,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|_| Err(Fault::Stop(STOPPED))))
    },
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrapParameters {
    number: Option<u64>,
}

pub(super) const TRAP: Model = Model {
    name: "trap",
    what: "the processor goes no further: a breakpoint, an undefined instruction; its number is `number`, else the first argument",
    ends: true,
    make: |setup| {
        let TrapParameters { number } = setup.parameters()?;
        Ok(Arc::new(move |call| Err(Fault::Trap(number.or(call.number(0))))))
    },
};

/// The relations that a trap on a comparison looks at: the bit of the first argument that asks for one, the operator, and
/// whether its arguments are exchanged.
const RELATIONS: [(u64, Op, bool); 5] = [
    (0b1_0000, Op::Slt, false),
    (0b0_1000, Op::Slt, true),
    (0b0_0100, Op::Eq, false),
    (0b0_0010, Op::Ult, false),
    (0b0_0001, Op::Ult, true),
];

pub(super) const COMPARISON: Model = Model {
    name: "trap on comparison",
    what: "a trap if the second and third argument stand in a relation that the first, of five bits, asks for: from the \
           highest bit, less and greater with sign, equal, less and greater without",
    ends: false,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|call| if is_asked_for(call) { Err(Fault::Trap(call.number(0))) } else { Ok(None) }))
    },
};

fn is_asked_for(call: &Call<'_>) -> bool {
    let [asked, left, right] = call.arguments else { return false };
    let asked: u64 = asked.to_word();
    let width = left.width().max(right.width());
    // An immediate is narrower than the register it is compared with.
    let widened = |value: &Bits| {
        if value.width() < width { Op::Sext.apply(width, std::slice::from_ref(value)) } else { value.clone() }
    };
    let (left, right) = (widened(left), widened(right));
    RELATIONS.iter().any(|(bit, op, exchanged)| {
        let (first, second) = if *exchanged { (&right, &left) } else { (&left, &right) };
        asked & bit != 0 && !op.apply(Width::W1, &[first.clone(), second.clone()]).is_zero()
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SystemCallParameters {
    /// The register that holds the number of the call.
    number: Option<String>,
}

pub(super) const SYSTEM_CALL: Model = Model {
    name: "system call",
    what: "a call of the operating system, whose number is in the register `number`, else the first argument",
    ends: true,
    make: |setup| {
        let SystemCallParameters { number } = setup.parameters()?;
        let register = number.map(|name| setup.register(&name)).transpose()?;
        Ok(Arc::new(move |call| {
            let number = match register {
                Some(register) => Some(call.register(register)?),
                None => call.number(0),
            };
            Err(Fault::SystemCall(number))
        }))
    },
};
