//! Messages for the outcome of a run, with the architecture's names of spaces and operations.

use crate::guest::Guest;
use everypath_ir::{Location, SpaceKind};
use everypath_machine::{Bound, End, FaultReason, Missing};

impl Guest {
    /// The reason why a run ended.
    pub fn explain(&self, end: &End) -> String {
        match end {
            End::Exited { status: 0, .. } => "it reached a stop".to_owned(),
            End::Exited { status, .. } => format!("it exited with status {status}"),
            End::Faulted { reason: FaultReason::Access { space, denied }, .. } => {
                let space = &self.architecture().layout()[*space].name;
                format!("{} at {space}[{:#x}]", denied.fault, denied.address)
            }
            End::Faulted { reason, .. } => reason.to_string(),
            End::Unmodelled { missing, .. } => self.explain_missing(*missing),
            End::Exhausted { bound: Bound::Instructions, .. } => {
                "the budget of instructions is used up; --budget N gives more".to_owned()
            }
            End::Exhausted { bound: Bound::Memory, .. } => {
                "the budget of memory is used up; `memory_budget` in the configuration gives more".to_owned()
            }
            End::Exhausted { bound: Bound::Decisions, .. } => {
                "the path was cut off at the bound on decisions on input".to_owned()
            }
            End::Exhausted { bound: Bound::Astray, .. } => {
                "the path was cut off some instructions after its control flow went astray".to_owned()
            }
            End::Exhausted { bound: Bound::Shown, .. } => {
                "it was cut off behind the last new direction".to_owned()
            }
            End::Repeats { .. } => {
                "it is back in an earlier state, from which it can show nothing new".to_owned()
            }
            End::Postponed { .. } => "it was postponed, and is continued later".to_owned(),
        }
    }

    /// A memory location for messages: the address, with the space unless it is the code space.
    pub fn name_location(&self, location: Location) -> String {
        if location.space == self.code_space() {
            return format!("{:#x}", location.offset);
        }
        let space = &self.architecture().layout()[location.space];
        let register = self.architecture().register_around(location);
        match register.filter(|_| space.kind == SpaceKind::Register) {
            Some(register) => format!("the register {register}"),
            None => format!("{}[{:#x}]", space.name, location.offset),
        }
    }

    /// The name of a system call, if the architecture's description numbers it.
    fn system_call_name(&self, number: u64) -> Option<&str> {
        let linux = self.architecture().description().linux.as_ref()?;
        linux.calls.iter().find(|(_, own)| **own == number).map(|(name, _)| name.as_str())
    }

    /// The message for an operation without a model.
    pub fn explain_missing(&self, missing: Missing) -> String {
        match missing {
            Missing::SystemCall(None) => "a call of the operating system, which is not there".to_owned(),
            Missing::SystemCall(Some(number)) => match self.system_call_name(number) {
                Some(name) => format!("the system call `{name}` ({number}), which is not modelled so"),
                None => format!("call {number} of the operating system, which is not there"),
            },
            Missing::Operation(operation) => {
                let names = &self.architecture().layout().user_operations;
                let name = names.get(operation as usize).map_or("?", String::as_str);
                format!("the operation `{name}` has no model")
            }
        }
    }
}
