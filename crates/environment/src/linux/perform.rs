//! A system call from its number to its result: finds the function that performs it, and sets the registers as the kernel does.

use super::call::{self, SystemCall};
use super::caller::{CallFailure, Caller, fixed, number_in, put};
use super::interface::Linux;
use super::process::Process;
use everypath_ir::Bits;
use everypath_lift::RegisterCondition;
use everypath_machine::Fault;

impl Linux {
    /// Performs the call whose number and arguments the registers hold.
    pub(crate) fn perform(
        &self,
        process: &mut Process,
        caller: &mut dyn Caller,
    ) -> Result<Option<Bits>, Fault> {
        let number = fixed(caller, self.number)?;
        let Some((name, handler)) = self.calls.get(&number).map(|index| call::ALL[*index]) else {
            return Err(Fault::SystemCall(Some(number)));
        };
        let mut call = SystemCall { linux: self, process, caller, number, name, assumes_result: false };
        let answer = match handler(&mut call) {
            Ok(result) => (result, false),
            Err(CallFailure::Errno(error)) => (error, true),
            Err(CallFailure::Fault(fault)) => return Err(fault),
        };
        let (value, is_error) = answer;
        let assumes_result = call.assumes_result;
        let value = match (is_error, &self.error) {
            (true, None) => value.wrapping_neg(),
            (true, Some(_)) | (false, _) => value,
        };
        if let Some((slot, RegisterCondition { bits, value, .. })) = &self.error {
            let held = number_in(caller.state(), *slot)? & !bits;
            put(caller, *slot, if is_error { held | value } else { held | !value & bits })?;
        }
        put(caller, self.result, value)?;
        if assumes_result {
            caller.assume(self.result.0, self.result.1, number);
        }
        Ok(None)
    }
}
