//! Models of operations that end the run: halt, trap and system call.

use super::definition::OperationModel;
use everypath_machine::Fault;
use serde::Deserialize;
use std::sync::Arc;

/// The exit status of a run that stops itself.
const STOPPED: u64 = 0;

pub(super) const STOP: OperationModel = OperationModel {
    name: "stop",
    what: "the run ends here: waiting for an interrupt that does not come, a halt",
    ends: true,
    assumes: false,
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

pub(super) const TRAP: OperationModel = OperationModel {
    name: "trap",
    what: "the processor goes no further: a breakpoint, an undefined instruction; its number is `number`, else the first argument",
    ends: true,
    assumes: false,
    make: |setup| {
        let TrapParameters { number } = setup.parameters()?;
        Ok(Arc::new(move |call| Err(Fault::Trap(number.or(call.number(0))))))
    },
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SystemCallParameters {
    /// The register that holds the system call number.
    number: Option<String>,
}

pub(super) const SYSTEM_CALL: OperationModel = OperationModel {
    name: "system call",
    what: "a call of the operating system, whose number is in the register `number`, else the first argument",
    ends: true,
    assumes: false,
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
