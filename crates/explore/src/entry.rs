//! The start of an exploration: the symbolic inputs of a guest, the path at its entry, and the replay of tests.

use std::collections::HashSet;

use everypath_environment::{AssumedRegister, Configuration, Guest, GuestError, InputTable, Unwritten};
use everypath_ir::{AddressRange, Location, Place};
use everypath_machine::{RunLimits, State};
use everypath_term::{Evaluation, Model, Terms};
use rustc_hash::FxHashSet;

use crate::extensions::Extensions;
use crate::path::initial::{assume_entry_values, give_input};
use crate::path::inputs::SymbolicInputs;
use crate::path::oracles::{NEVER_WRITTEN, Oracles, setup};
use crate::path::path_condition::PathCondition;
use crate::path::task::Task;
use crate::record::replay::Replayer;

/// The start of an exploration.
pub(crate) struct Entry<'g> {
    pub(crate) inputs: SymbolicInputs<'g>,
    /// The registers whose contents are assumed.
    pub(crate) assumed: Vec<AssumedRegister>,
    /// The path at the entry.
    pub(crate) root: Task,
    pub(crate) replayer: Replayer<'g>,
    pub(crate) limits: RunLimits,
}

impl<'g> Entry<'g> {
    /// Prepares the start. The named oracles watch, and blocks end before the addresses `ends`.
    pub(crate) fn prepare(
        guest: &'g Guest,
        configuration: &Configuration,
        oracles: &[String],
        extensions: &Extensions,
        ends: &HashSet<u64>,
    ) -> Result<Entry<'g>, GuestError> {
        guest.check_setup(configuration)?;
        let world = guest.world(configuration)?;
        let noted = configuration.noting_writes();
        let mut state = guest.state(&noted)?;
        let place = guest.entry(configuration)?;
        let limits = guest.limits(configuration)?;
        check_entry(guest, &state, place, &limits)?;
        let setup = setup(guest, configuration, &limits);
        let mut names = oracles.to_vec();
        if !names.iter().any(|name| name == NEVER_WRITTEN) {
            names.push(NEVER_WRITTEN.to_owned());
        }
        let oracles = Oracles::with_extensions(&names, extensions, &setup)?;
        let start = guest.state(&noted)?;
        let mut replayer = Replayer::new(guest, start, world.clone(), place, limits.clone(), oracles.fork());
        replayer.end_blocks_before(ends);
        for AddressRange { space, first, last } in guest.globals(configuration)?.iter() {
            if let Some(memory) = state.memory(space) {
                memory.assume_contents(first, last);
            }
        }
        let initial = guest.initial_inputs(configuration)?;
        let (mut terms, mut table) = (Terms::new(), InputTable::default());
        let mut path_condition = PathCondition::default();
        let (pointers, model) = give_input(&initial, &mut state, &mut terms, &mut table, &mut path_condition);
        let assumed = guest.assumed_registers(configuration, &initial)?;
        let entry_assumptions =
            assume_entry_values(&assumed, &mut state, &mut terms, &mut table, &mut path_condition);
        let mut evaluation = Evaluation::new(Model::new());
        evaluation.set_model(model.clone());
        state.reevaluate(&terms, &mut evaluation, entry_assumptions.settled());
        let objects = configuration.objects.len();
        let constraints = (path_condition, model);
        let root = Task::at_entry(state, place, world.progress(), constraints, objects, oracles);
        let inputs = SymbolicInputs {
            guest,
            world,
            terms,
            table,
            evaluation,
            initial,
            pointers,
            unwritten_is_input: configuration.unwritten == Unwritten::Input,
            unwritten_assumptions: FxHashSet::default(),
            entry_assumptions,
        };
        Ok(Entry { inputs, assumed, root, replayer, limits })
    }
}

/// Rejects an entry at which nothing would be run.
fn check_entry(guest: &Guest, state: &State, place: Place, limits: &RunLimits) -> Result<(), GuestError> {
    let at = place.address;
    if state.is_blank(Location { space: guest.code_space(), offset: at }) {
        return Err(GuestError::new(format!(
            "the file has no bytes at the entry {at:#x}: `--entry` or `--base` is wrong"
        )));
    }
    if limits.stops_at(place) {
        return Err(GuestError::new(format!(
            "`stop` names the entry {at:#x}: nothing would be run; name where the program is done"
        )));
    }
    Ok(())
}
