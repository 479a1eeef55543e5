//! The contents of a replay harness: each test with its initial state, its inputs, its path and its expected outputs.

use everypath_environment::{AddressOrSymbol, Configuration, Guest, GuestError};
use everypath_ir::Place;
use everypath_lift::Export;
use everypath_machine::State;
use everypath_record::{
    Address, CalledFunction, ExpectedOutputs, HarnessSuite, HarnessTest, ProgramSymbol, Stored, TestCase,
};

use crate::record::expected::{GeneralRegister, ObservedOutputs, expected_run, general_registers};
use crate::record::rerun::{export, rerun};

/// Bytes of the caller's frame that a function may write: where conventions have it save its return address and its
/// arguments.
const LINKAGE: u64 = 64;

/// Runs tests of a program, given by its file and its symbols, and describes them in the architecture's names for a harness
/// format.
///
/// # Errors
/// If the configuration does not fit the guest, the architecture has no export in this format, or a test takes interrupts.
pub fn harness_suite(
    guest: &Guest,
    configuration: &Configuration,
    tests: &[TestCase],
    (program, symbols): (&str, Vec<ProgramSymbol>),
    format: &str,
) -> Result<HarnessSuite, GuestError> {
    let export = export(guest, format)?;
    let maker = Maker {
        guest,
        configuration,
        export,
        registers: general_registers(guest, &export.outputs)?,
        entry: code_address(guest, guest.entry(configuration)?),
    };
    let made = |test: &TestCase| maker.test(test, rerun(guest, configuration, test, program, format)?);
    Ok(HarnessSuite {
        program: program.to_owned(),
        start: export.start.clone(),
        program_counter: export.program_counter.clone(),
        segments: maker.segments(),
        symbols,
        call: maker.called_function()?,
        tests: tests.iter().map(made).collect::<Result<_, _>>()?,
    })
}

/// The address of a place with the bits that select its mode, as an indirect jump has it.
fn code_address(guest: &Guest, place: Place) -> Address {
    let architecture = guest.architecture();
    let modes = architecture.description().modes.iter();
    let bits = modes.filter_map(|mode| mode.source.address_bit).map(|bit| place.address | 1 << bit);
    let wanted = (place.address, place.context);
    let found = std::iter::once(place.address)
        .chain(bits)
        .find(|address| architecture.code_address(*address) == wanted);
    Address(found.unwrap_or(place.address))
}

/// Describes the tests of one program.
struct Maker<'g> {
    guest: &'g Guest,
    configuration: &'g Configuration,
    export: &'g Export,
    registers: Vec<GeneralRegister>,
    entry: Address,
}

impl Maker<'_> {
    fn test(&self, test: &TestCase, rerun: everypath_record::Rerun) -> Result<HarnessTest, GuestError> {
        let state = self.guest.state(self.configuration)?;
        let run = expected_run(self.guest, self.configuration, test, &self.registers)?;
        let stack = self.stack(&state, &run)?;
        let ObservedOutputs { outputs, touched, .. } = run;
        let mut devices = self.guest.world(self.configuration)?.places();
        // A cell may be in a range of peripherals.
        devices.extend(self.guest.peripherals(self.configuration)?.iter());
        let devices = devices.iter().filter(|range| range.space == self.guest.code_space());
        let range = |(first, last): (u64, u64)| (Address(first), Address(last));
        Ok(HarnessTest {
            rerun,
            entry: self.entry,
            expected: self.renamed(outputs),
            devices: devices.map(|device| range((device.first, device.last))).collect(),
            touched: touched.into_iter().map(range).collect(),
            stack,
        })
    }

    /// Expected outputs in the tool's names.
    fn renamed(&self, mut outputs: ExpectedOutputs) -> ExpectedOutputs {
        let Export { registers, memories, .. } = self.export;
        for (name, _) in &mut outputs.registers {
            if let Some(called) = registers.get(name) {
                name.clone_from(called);
            }
        }
        outputs.registers.retain(|(name, _)| !name.is_empty());
        let writes = outputs.device_writes.iter_mut().map(|write| &mut write.memory);
        for name in writes.chain(outputs.memory.iter_mut().map(|written| &mut written.memory)) {
            if let Some(called) = memories.get(name) {
                name.clone_from(called);
            }
        }
        outputs
    }

    /// The stack that the run used: from the smallest value of the stack pointer into the caller's frame.
    fn stack(&self, state: &State, run: &ObservedOutputs) -> Result<Option<(Address, Address)>, GuestError> {
        let roles = &self.guest.architecture().description().registers;
        let start = self.guest.start_registers(self.configuration, state)?;
        let top = start.iter().rev().find(|(name, _)| Some(*name) == roles.stack_pointer.as_deref());
        let Some(((_, top), lowest)) = top.zip(run.lowest_stack).filter(|_| !roles.stack_grows_up) else {
            return Ok(None);
        };
        Ok(Some((Address(lowest), Address(top.saturating_add(LINKAGE - 1)))))
    }

    /// The loaded program.
    fn segments(&self) -> Vec<Stored> {
        let loaded = self.guest.image().segments().iter();
        let in_code_space = loaded.filter(|segment| segment.space().is_none() && !segment.data().is_empty());
        in_code_space
            .map(|segment| Stored {
                memory: String::new(),
                address: Address(segment.address()),
                bytes: segment.data().to_vec(),
            })
            .collect()
    }

    /// The function under test.
    fn called_function(&self) -> Result<Option<CalledFunction>, GuestError> {
        let Some(call) = &self.configuration.call else { return Ok(None) };
        let entry = self.guest.entry(self.configuration)?.address;
        let image = self.guest.image();
        let name = match &call.function {
            AddressOrSymbol::Symbol(name) => Some(name.clone()),
            AddressOrSymbol::Address(_) => {
                let symbol = image.function_symbol_at(entry).filter(|symbol| symbol.address == entry);
                symbol.map(|symbol| symbol.name.clone())
            }
        };
        let description = self.guest.architecture().description();
        let Some(convention) = &description.call else { return Ok(None) };
        let inputs = &self.configuration.inputs;
        let is_given = |(number, register): &(usize, &String)| {
            self.configuration.registers.contains_key(*register)
                || inputs.iter().any(|input| {
                    input.argument == Some(*number) || input.register.as_ref() == Some(*register)
                })
        };
        let count = convention.arguments.iter().enumerate().rfind(is_given);
        let count = count.map_or(0, |(number, _)| number + 1);
        let arguments = convention.arguments[..count].to_vec();
        let mut own: Vec<&String> = arguments.iter().collect();
        own.extend(&description.registers.stack_pointer);
        own.extend(&convention.return_address);
        own.extend(&convention.function_address);
        own.extend(convention.global_pointer.as_ref().map(|pointer| &pointer.register));
        let named = inputs.iter().filter_map(|input| input.register.as_ref());
        let others = self.configuration.registers.keys().chain(named);
        let others = others.filter(|register| !own.contains(register)).cloned().collect();
        let result = convention.result.first().cloned();
        Ok(Some(CalledFunction { name, address: Address(entry), arguments, result, others }))
    }
}
