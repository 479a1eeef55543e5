//! The instructions of a test's run that have no effect because an earlier instruction, such as `IT` of T32, gives them a
//! predicate that is false.

use everypath_environment::{Configuration, Guest, GuestError};
use everypath_ir::{Block, Context, Exit, ExitKind, Layout, Location, Op, Place, Width};
use everypath_machine::{
    Access, Computation, Concrete, ConcreteDomain, Domain, Fault, Fixed, Isolated, ReadyBlock, RunLimits,
    Slot, State, UserCall, Watch, run_steps,
};
use everypath_record::TestCase;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::path::test_input::TestInput;
use crate::record::rerun::step_through;

/// The instructions of a test's run that have no effect, by their numbers in the run. Steps through a test that takes no interrupts.
///
/// # Errors
/// If the configuration or the test does not fit the guest.
pub fn false_predicates(
    guest: &Guest,
    configuration: &Configuration,
    test: &TestCase,
) -> Result<BTreeSet<usize>, GuestError> {
    let mut state = TestInput::of(test).initial_state(guest, configuration)?;
    let one = RunLimits::one_instruction();
    // The entry is the first jump target.
    let mut contexts = Contexts { at_jump_target: Context::default(), jumped: true };
    let (mut found, mut begun) = (BTreeSet::new(), 0);
    step_through(guest, configuration, test, &mut state, |machine, place, state, world| {
        contexts.arrive(place);
        let mut domain = ConcreteDomain { state, outside: world };
        // An instruction with a loop inside is run in parts.
        if place.part == 0 {
            if contexts.is_changed_at(place)
                && let Some(block) = machine.instruction(&mut domain, place)
                && has_no_effect(guest.architecture().layout(), block, domain.state)
            {
                found.insert(begun);
            }
            begun += 1;
        }
        machine.run(&mut domain, place, &one, &mut contexts)
    })?;
    Ok(found)
}

/// The decoding contexts of a run. An instruction whose context is not that at the last jump target is decoded as those before it
/// say.
struct Contexts {
    at_jump_target: Context,
    /// Whether the last block was left by a jump, call or return.
    jumped: bool,
}

impl Contexts {
    fn is_changed_at(&self, place: Place) -> bool {
        place.context != self.at_jump_target
    }

    fn arrive(&mut self, place: Place) {
        if std::mem::take(&mut self.jumped) {
            self.at_jump_target = place.context;
        }
    }
}

impl Watch for Contexts {
    fn exit(&mut self, _: Place, exit: &Exit, _: u64) {
        self.jumped = exit.kind != ExitKind::Fall;
    }
}

/// Whether the guards of an instruction's effects are all false in a state.
fn has_no_effect(layout: &Layout, block: Arc<Block>, state: &mut State) -> bool {
    let constant = |bits: &everypath_ir::Bits| Concrete::from_bits(bits.clone());
    let mut code = ReadyBlock::new(layout, block, constant, || Concrete::Narrow(0));
    let mut domain = NoEffects { state, unchanged: HashMap::new() };
    if run_steps(&mut domain, &mut code).is_err() {
        return false;
    }
    let is_taken = |guard: Slot| code.values[guard as usize].narrow() != 0;
    let taken = code.exits.iter().find(|exit| exit.guard.is_none_or(is_taken));
    taken.is_some_and(|exit| code.block.exits[exit.exit].kind == ExitKind::Fall)
}

/// Concrete evaluation that ends at the first effect.
struct NoEffects<'s> {
    state: &'s mut State,
    /// The slots with what a location held before the instruction.
    unchanged: HashMap<Slot, (Location, Width)>,
}

/// Why the evaluation ends.
const EFFECT: Fault = Fault::Stop(0);

impl NoEffects<'_> {
    fn inner(&mut self) -> ConcreteDomain<'_, Isolated> {
        ConcreteDomain { state: self.state, outside: Isolated }
    }
}

impl Domain for NoEffects<'_> {
    type Value = Concrete;

    fn compute(&mut self, computation: &Computation, values: &mut [Concrete]) {
        if computation.op == Op::Select {
            let [condition, one, other] = computation.arguments;
            let chosen = if values[condition as usize].narrow() != 0 { one } else { other };
            if let Some(held) = self.unchanged.get(&chosen).copied() {
                self.unchanged.insert(computation.result, held);
            }
        }
        self.inner().compute(computation, values);
    }

    fn get(&mut self, place: &Fixed, values: &mut [Concrete]) -> Result<(), Fault> {
        self.unchanged.insert(place.slot, (place.location, place.width));
        self.inner().get(place, values)
    }

    fn put(&mut self, place: &Fixed, _: &mut [Concrete]) -> Result<(), Fault> {
        let is_unchanged = self.unchanged.get(&place.slot) == Some(&(place.location, place.width));
        if is_unchanged { Ok(()) } else { Err(EFFECT) }
    }

    fn load(&mut self, access: &Access, values: &mut [Concrete]) -> Result<(), Fault> {
        // With a guard that is false, the result is zero.
        if is_off(access.guard, values) { self.inner().load(access, values) } else { Err(EFFECT) }
    }

    fn store(&mut self, access: &Access, values: &mut [Concrete]) -> Result<(), Fault> {
        if is_off(access.guard, values) { Ok(()) } else { Err(EFFECT) }
    }

    fn user(&mut self, call: &UserCall, values: &mut [Concrete]) -> Result<(), Fault> {
        if is_off(call.guard, values) { self.inner().user(call, values) } else { Err(EFFECT) }
    }
}

fn is_off(guard: Option<Slot>, values: &[Concrete]) -> bool {
    guard.is_some_and(|guard| values[guard as usize].narrow() == 0)
}
