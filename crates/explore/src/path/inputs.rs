//! The symbolic inputs of an exploration: the term store, the table of input bytes, and the test input that a model
//! describes.

use std::collections::BTreeSet;

use everypath_environment::{Guest, InitialInputs, InputOrigin, InputTable, PointerInput, World};
use everypath_ir::{Exit, Location, Place, SpaceId, SpaceKind, Width};
use everypath_machine::{Concolic, Machine};
use everypath_record::{Address, CellValues, MemoryBytes, TakenInterrupt};
use everypath_term::{Evaluation, Input, Model, Term, Terms, View};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::path::initial::EntryAssumptions;
use crate::path::layout::{LayoutPointer, compared, depends_on_layout, is_elsewhere};
use crate::path::roots::{Roots, TermHolder};
use crate::path::task::Task;
use crate::path::test_input::TestInput;

/// The type of a guest's machine on symbolic input.
pub(crate) type GuestMachine<'g> = Machine<&'g Guest, Concolic>;

/// The inputs of a guest, and terms over them.
pub(crate) struct SymbolicInputs<'g> {
    pub(crate) guest: &'g Guest,
    pub(crate) world: World,
    pub(crate) terms: Terms,
    pub(crate) table: InputTable,
    pub(crate) evaluation: Evaluation,
    /// The registers and memory that hold input at the entry.
    pub(crate) initial: InitialInputs,
    /// The pointers among these inputs, with their terms.
    pub(crate) pointers: Vec<(PointerInput, Term)>,
    /// Whether uninitialised memory is input.
    pub(crate) unwritten_is_input: bool,
    /// The conditions that pin uninitialised bytes to their assumed values.
    pub(crate) unwritten_assumptions: FxHashSet<Term>,
    /// The conditions that hold assumed registers to their values at the entry.
    pub(crate) entry_assumptions: EntryAssumptions,
}

impl SymbolicInputs<'_> {
    /// The condition that a term equals a number.
    pub(crate) fn is_number(&mut self, term: Term, value: u64) -> Term {
        let width = self.terms.width(term);
        let value = self.terms.constant_u64(value, width);
        self.terms.eq(term, value)
    }

    /// The constraint of a decision, and that of its alternative. The simplifier may give a double negation another
    /// form than the condition had: both are built as negations, so that the path which takes the alternative and its
    /// replay state the same term.
    pub(crate) fn sides(&mut self, condition: Term, taken: bool) -> (Term, Term) {
        let refuted = self.terms.not(condition);
        let met = self.terms.not(refuted);
        if taken { (met, refuted) } else { (refuted, met) }
    }

    /// The place of an indirect exit's target address.
    pub(crate) fn place_of(
        &mut self,
        machine: &GuestMachine<'_>,
        task: &mut Task,
        exit: &Exit,
        address: u64,
    ) -> Place {
        // The path has decided on the decoding context when it ran the jump.
        let mut events = Vec::new();
        let mut domain = task.domain(&self.world, &mut self.table, &mut self.terms, &mut events);
        machine.computed_place(&mut domain, exit, address)
    }

    /// Takes a new model, and re-evaluates the symbolic bytes of a task under it.
    pub(crate) fn take_model(&mut self, task: &mut Task, model: Model) {
        self.evaluation.set_model(model.clone());
        task.model = model;
        task.state.reevaluate(&self.terms, &mut self.evaluation, self.entry_assumptions.settled());
    }

    /// Marks a path as over-approximate: it keeps its path condition, and cannot be replayed from the entry any more.
    pub(crate) fn make_abstract(&self, task: &mut Task) {
        let used = (task.used.aliases, task.used.targets);
        let length = (task.instructions, task.decisions());
        self.make_merged(task, task.path_condition.conditions(), length, used);
    }

    /// Makes a path stand for several under these conditions, with their numbers of instructions and decisions, and the
    /// alternatives that they have used.
    pub(crate) fn make_merged(
        &self,
        task: &mut Task,
        conditions: Vec<Term>,
        length: (u64, usize),
        used: (u32, u32),
    ) {
        let conditions = conditions.into_iter().partition(|condition| self.is_assumption(*condition));
        task.become_merged(&self.terms, conditions, length, used);
    }

    /// Makes the registers concrete whose value a condition of the path states. A copy of a merged word that was compared
    /// with a number is that number, whatever becomes of the word on other paths.
    pub(crate) fn fix_registers(&mut self, task: &mut Task, condition: Term) {
        let opposite = self.terms.not(condition);
        self.evaluation.set_model(task.model.clone());
        let spaces = &self.guest.architecture().layout().spaces;
        let registers = (0..).map(SpaceId).zip(spaces).filter(|(_, space)| space.kind == SpaceKind::Register);
        for (space, _) in registers {
            let held: BTreeSet<Term> =
                task.state.shadow(space).iter().map(|(_, origin)| origin.term).collect();
            for term in held {
                let Some(value) = self.evaluation.word(&self.terms, term) else { continue };
                let same = self.is_number(term, value);
                if self.terms.not(same) == opposite && self.is_input_only(term) {
                    task.state.shadow_mut(space).make_concrete(term);
                }
            }
        }
    }

    /// Whether anything can depend on an assumption about the environment or on the layout of objects.
    pub(crate) fn has_premises(&self) -> bool {
        !self.table.changed().is_empty() || !self.pointers.is_empty()
    }

    /// Whether a byte is an assumed difference (`Assumed` or `Changed`).
    pub(crate) fn is_changed(&self, byte: Term) -> bool {
        let View::Input(input) = self.terms.view(byte) else { return false };
        self.table.changed_at(input).is_some()
    }

    /// Whether a condition depends only on such differences, which a path assumes to be zero.
    pub(crate) fn is_premised(&self, condition: Term) -> bool {
        let is_changed = |input| self.table.changed_at(input).is_some();
        !self.table.changed().is_empty() && self.terms.inputs(condition).iter().all(is_changed)
    }

    /// Whether a condition states an assumption about uninitialised memory or about the environment.
    pub(crate) fn is_assumption(&self, condition: Term) -> bool {
        self.unwritten_assumptions.contains(&condition) || self.is_premised(condition)
    }

    /// Terms with uninitialised memory as it is assumed under a model.
    pub(crate) fn with_assumed_contents(&mut self, values: &[Term], model: &Model) -> Vec<Term> {
        let inputs = values.iter().flat_map(|value| self.terms.inputs(*value).iter());
        let unwritten: BTreeSet<Input> = inputs.filter(|input| self.table.is_unwritten(*input)).collect();
        let mut assumed = |input: Input| self.terms.constant_u64(u64::from(model.get(input)), Width::W8);
        let contents: FxHashMap<Input, Term> =
            unwritten.into_iter().map(|input| (input, assumed(input))).collect();
        self.terms.substitute(values, |input| contents.get(&input).copied())
    }

    /// Whether a term depends on nothing but input: not on uninitialised memory, nor on such differences.
    pub(crate) fn is_input_only(&self, term: Term) -> bool {
        let is_assumed = |input| {
            let is_changed = self.table.changed_at(input).is_some();
            is_changed || self.table.is_unwritten(input)
        };
        !self.terms.inputs(term).iter().any(is_assumed)
    }

    /// Whether a term depends on the layout of the objects that input pointers point to.
    pub(crate) fn depends_on_layout(&mut self, term: Term) -> bool {
        let pointers = self.layout_pointers();
        depends_on_layout(&mut self.terms, &pointers, term)
    }

    /// Whether a term depends on an input pointer.
    pub(crate) fn depends_on_pointers(&self, term: Term) -> bool {
        let inputs = self.terms.inputs(term);
        self.pointers.iter().any(|(_, pointer)| inputs.intersects(self.terms.inputs(*pointer)))
    }

    /// Whether an address may be elsewhere in another layout of the objects.
    pub(crate) fn is_elsewhere_in_other_layouts(&mut self, address: Term) -> bool {
        let pointers = self.layout_pointers();
        is_elsewhere(&mut self.terms, &pointers, address)
    }

    /// Whether a condition compares input pointers, and there are too few objects for all of them to be different that the path
    /// has used or compared.
    pub(crate) fn may_need_more_objects(&mut self, condition: Term, path: &Task) -> bool {
        let pointers = self.layout_pointers();
        let own = compared(&mut self.terms, &pointers, condition);
        if own.is_empty() {
            return false;
        }
        let mut met = own.clone();
        for condition in path.path_condition.conditions() {
            met.extend(compared(&mut self.terms, &pointers, condition));
        }
        let kinds = own.iter().map(|number| self.pointers[*number].0.object);
        kinds.collect::<BTreeSet<usize>>().into_iter().any(|kind| {
            let is_open = |number: &&usize| {
                let (pointer, term) = &self.pointers[**number];
                pointer.object == kind && path.ranges().fixed(&self.terms, *term).is_none()
            };
            let used = path.used.objects[kind].count_ones() as usize;
            let count = self.pointers.iter().find(|(pointer, _)| pointer.object == kind);
            let count = count.map_or(0, |(pointer, _)| pointer.targets.len());
            used + met.iter().filter(is_open).count() > count
        })
    }

    fn layout_pointers(&self) -> Vec<LayoutPointer> {
        let pointer = |(pointer, term): &(PointerInput, Term)| LayoutPointer {
            term: *term,
            kind: pointer.object,
            is_separate: pointer.is_separate,
        };
        self.pointers.iter().map(pointer).collect()
    }

    /// The values of each cell that a model describes, on a path that has read it so many times.
    pub(crate) fn cells(&self, model: &Model, reads: &[u32]) -> Vec<CellValues> {
        let cell = |(number, name): (usize, &str)| {
            let value = |ordinal: u32| {
                // A read that the configuration fixes is no input, but other tools need its value to run the test.
                if let Some(value) = self.world.scripted(number, ordinal as usize) {
                    return value;
                }
                let part =
                    |byte| self.table.find(InputOrigin::Reading { cell: number as u32, ordinal, byte });
                // If a byte of a read is input, all lower bytes are.
                let bytes = (0..8).map_while(|place| Some((place, model.get(part(place)?))));
                bytes.fold(0_u64, |value, (place, byte)| value | u64::from(byte) << (8 * place))
            };
            CellValues { name: name.to_owned(), values: (0..reads[number]).map(value).collect() }
        };
        self.world.cells().enumerate().map(cell).filter(|cell| !cell.values.is_empty()).collect()
    }

    /// The test input that a model describes, on a path that has read each cell so many times and taken these interrupts.
    pub(crate) fn test_input(
        &self,
        model: &Model,
        reads: &[u32],
        interrupts: &[TakenInterrupt],
    ) -> TestInput {
        let byte = |origin: InputOrigin| self.table.find(origin).map_or(0, |input| model.get(input));
        let cells = self.cells(model, reads);
        let mut test = TestInput { cells, interrupts: interrupts.to_vec(), ..TestInput::default() };
        let pointed_to = self.pointed_to(model);
        for (number, input) in self.initial.values.iter().enumerate() {
            let part = |part: u64| byte(InputOrigin::Initial { input: number as u32, byte: part as u32 });
            let bytes: Vec<u8> = (0..input.size).map(part).collect();
            match &input.register {
                Some(register) => {
                    let byte = |byte: usize| u64::from(bytes[input.endian.place(byte, bytes.len())]);
                    let value =
                        (0..bytes.len().min(8)).rev().fold(0, |value, place| value << 8 | byte(place));
                    let value = match input.sign_extended {
                        Some((_, width)) => sign_extended(value, bytes.len(), width.bits()),
                        None => value,
                    };
                    test.registers.push((register.clone(), Address(value)));
                }
                // An all-zero object that no pointer points to is unused.
                None if input.object.is_some()
                    && bytes.iter().all(|byte| *byte == 0)
                    && !pointed_to.contains(&input.location.offset) => {}
                None => test.memory.push(self.bytes(input.location, bytes)),
            }
        }
        self.add_unwritten(model, &mut test.memory);
        test
    }

    /// The test input that a model describes, with all uninitialised memory zero.
    pub(crate) fn test_input_with_zeroed_memory(
        &self,
        model: &Model,
        reads: &[u32],
        interrupts: &[TakenInterrupt],
    ) -> TestInput {
        let mut plain = Model::new();
        for (input, value) in model.iter() {
            if !matches!(self.table.origin(input), Some(InputOrigin::Unwritten { .. })) {
                plain.set(input, value);
            }
        }
        self.test_input(&plain, reads, interrupts)
    }

    /// The addresses that input pointers hold under a model.
    fn pointed_to(&self, model: &Model) -> Vec<u64> {
        if self.pointers.is_empty() {
            return Vec::new();
        }
        let mut evaluation = Evaluation::new(model.clone());
        self.pointers.iter().filter_map(|(_, term)| evaluation.word(&self.terms, *term)).collect()
    }

    /// Adds the non-zero bytes of uninitialised memory under a model.
    fn add_unwritten(&self, model: &Model, memory: &mut Vec<MemoryBytes>) {
        let mut blank: Vec<(Location, u8)> = Vec::new();
        for (input, value) in model.iter().filter(|(_, value)| *value != 0) {
            if let Some(InputOrigin::Unwritten { location }) = self.table.origin(input) {
                blank.push((location, value));
            }
        }
        blank.sort_unstable();
        let first = memory.len();
        let mut next = None;
        for (location, value) in blank {
            if next == Some(location)
                && let Some(last) = memory[first..].last_mut()
            {
                last.bytes.push(value);
            } else {
                memory.push(self.bytes(location, vec![value]));
            }
            next = Some(Location { offset: location.offset.wrapping_add(1), ..location });
        }
    }

    fn bytes(&self, location: Location, bytes: Vec<u8>) -> MemoryBytes {
        let space = self.guest.architecture().layout()[location.space].name.clone();
        MemoryBytes { space, address: Address(location.offset), bytes }
    }
}

impl TermHolder for SymbolicInputs<'_> {
    fn roots(&self, roots: &mut Roots) {
        roots.extend(self.unwritten_assumptions.iter().copied());
        roots.extend(self.pointers.iter().map(|(_, term)| *term));
        self.entry_assumptions.roots(roots);
    }
}

/// Sign-extends a number of so many bytes to a width.
fn sign_extended(value: u64, bytes: usize, width: u32) -> u64 {
    let unused = 64 - 8 * bytes.min(8) as u32;
    let wide = ((value << unused) as i64 >> unused) as u64;
    wide & (u64::MAX >> (64 - width.clamp(1, 64)))
}
