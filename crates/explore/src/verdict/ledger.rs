//! The assumption ledger: assumptions, concretisations and bounds, by which paths may have been lost.

use std::collections::BTreeMap;

use everypath_record::{Address, Assumption};

/// The kind of an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AssumptionKind {
    /// A value was concretised to the one it has on this path.
    Concretised,
    /// A solver query was not answered.
    Unanswered,
    /// An operation has no model.
    NoModel,
    /// A bound was reached.
    Bound,
    /// A replay from the entry did not do what was expected.
    Divergence,
    /// Interrupts are not taken wherever they could happen: some code, or what handlers write, was not tried.
    Interrupt,
    /// A peripheral register that the configuration does not declare was read.
    Peripheral,
    /// A system register, or the result of an instruction that asks the processor, was assumed.
    Processor,
    /// An answer of the operating system was assumed.
    System,
    /// The contents of a register were assumed when a function is called.
    Register,
    /// A global variable was assumed to have its initial value when a function is called.
    Global,
    /// A decision depends on the layout chosen for the objects of a function's arguments.
    Layout,
    /// The setup is probably wrong.
    Setup,
    /// An entry of the configuration was not used.
    Unused,
    /// An observer steered the search.
    Steered,
}

impl AssumptionKind {
    fn name(self) -> &'static str {
        match self {
            AssumptionKind::Concretised => "concretised",
            AssumptionKind::Unanswered => "unanswered",
            AssumptionKind::NoModel => "unmodelled",
            AssumptionKind::Bound => "bound",
            AssumptionKind::Divergence => "divergence",
            AssumptionKind::Interrupt => "interrupt",
            AssumptionKind::Peripheral => "peripheral",
            AssumptionKind::Processor => "processor",
            AssumptionKind::System => "system",
            AssumptionKind::Register => "register",
            AssumptionKind::Global => "global",
            AssumptionKind::Layout => "layout",
            AssumptionKind::Setup => "setup",
            AssumptionKind::Unused => "unused",
            AssumptionKind::Steered => "steered",
        }
    }
}

/// The ledger: each entry once, with a count.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: BTreeMap<(AssumptionKind, u64, String, bool), u64>,
}

impl Ledger {
    /// Adds an entry. `loses` says whether paths may have been lost by it.
    pub fn note(&mut self, kind: AssumptionKind, address: u64, what: impl Into<String>, loses: bool) {
        *self.entries.entry((kind, address, what.into(), loses)).or_insert(0) += 1;
    }

    /// Returns to an earlier ledger, with the divergences noted since: they are about tests and the tool, not about a path.
    pub(crate) fn return_to(&mut self, earlier: Ledger) {
        let since = std::mem::replace(&mut self.entries, earlier.entries);
        self.entries.extend(since.into_iter().filter(|((kind, ..), _)| *kind == AssumptionKind::Divergence));
    }

    /// Whether there is an entry of this kind at an address that may have lost paths.
    pub(crate) fn is_noted(&self, kind: AssumptionKind, address: u64) -> bool {
        self.entries.keys().any(|(of, at, _, loses)| *of == kind && *at == address && *loses)
    }

    /// Whether no entry may have lost a path.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.entries.keys().all(|(.., loses)| !loses)
    }

    /// Whether verdicts depend on assumptions about the environment, such as interrupts, peripherals and object layout.
    #[must_use]
    pub fn is_world_assumed(&self) -> bool {
        let kinds = [
            AssumptionKind::Interrupt,
            AssumptionKind::Peripheral,
            AssumptionKind::Processor,
            AssumptionKind::System,
            AssumptionKind::Register,
            AssumptionKind::Global,
            AssumptionKind::Layout,
            AssumptionKind::Setup,
        ];
        self.entries.keys().any(|(kind, .., loses)| *loses && kinds.contains(kind))
    }

    /// The entries that may have lost paths, in words.
    #[must_use]
    pub fn losses(&self) -> Vec<String> {
        let lost = self.entries.iter().filter(|((.., loses), _)| *loses);
        lost.map(|((_, address, what, _), count)| placed(what, *address, *count)).collect()
    }

    /// The first operation without a model, if nothing else lost paths.
    #[must_use]
    pub fn only_unmodelled(&self) -> Option<String> {
        let mut lost = self.entries.keys().filter(|(.., loses)| *loses).peekable();
        let (_, address, what, _) = lost.peek()?;
        let first = format!("{what} at {address:#x}");
        lost.all(|(kind, ..)| *kind == AssumptionKind::NoModel).then_some(first)
    }

    /// The entries as they are recorded.
    #[must_use]
    pub fn assumptions(&self) -> Vec<Assumption> {
        let entry = |((kind, address, what, loses), count): (&(AssumptionKind, u64, String, bool), &u64)| {
            Assumption {
                kind: kind.name().to_owned(),
                address: Address(*address),
                message: what.clone(),
                count: *count,
                loses_paths: *loses,
            }
        };
        self.entries.iter().map(entry).collect()
    }
}

/// A message with its place and count.
fn placed(message: &str, address: u64, count: u64) -> String {
    match count {
        1 => format!("at {address:#x}: {message}"),
        _ => format!("at {address:#x}, {count} times: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_names_its_place_and_how_often() {
        let mut ledger = Ledger::default();
        ledger.note(AssumptionKind::Bound, 0x10, "a bound was reached", true);
        ledger.note(AssumptionKind::Concretised, 0x20, "a value was assumed; declare it", true);
        ledger.note(AssumptionKind::Concretised, 0x20, "a value was assumed; declare it", true);
        ledger.note(AssumptionKind::Unused, 0x30, "a cell was not read", false);
        assert_eq!(
            ledger.losses(),
            ["at 0x20, 2 times: a value was assumed; declare it", "at 0x10: a bound was reached"]
        );
    }
}
