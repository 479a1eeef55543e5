//! Modes of floating-point arithmetic that a program sets: each operation rounds to the nearest and keeps denormal numbers,
//! whatever the mode, so that results after such an instruction are an assumption.

use everypath_environment::{Guest, GuestError};
use everypath_ir::{AddressRange, Block, Endian, Location, Place, Statement, Width};
use everypath_machine::State;
use everypath_term::Terms;
use rustc_hash::FxHashMap;

use crate::verdict::ledger::{AssumptionKind, Ledger};

/// A register with modes.
struct ModeRegister {
    name: String,
    location: Location,
    width: Width,
    endian: Endian,
    /// The bits of the modes, and their value in the modes that arithmetic has here.
    bits: u64,
    value: u64,
    /// Whether instructions that set no mode write it.
    has_flags: bool,
}

/// A mode register that a block writes.
struct WrittenModes {
    number: usize,
    /// Whether several instructions of the block do, so that the state after it does not tell what modes it has set: x87 code
    /// truncates a number between two writes of the control word.
    is_repeated: bool,
}

/// The registers with modes of floating-point arithmetic, and which of them a block writes.
#[derive(Default)]
pub(crate) struct FloatModes {
    registers: Vec<ModeRegister>,
    /// The registers that a block writes.
    written: FxHashMap<Place, Vec<WrittenModes>>,
}

impl FloatModes {
    pub(crate) fn of(guest: &Guest) -> Result<FloatModes, GuestError> {
        let mut registers = Vec::new();
        for mode in &guest.architecture().description().registers.float_modes {
            let (name, found) = (mode.register.clone(), guest.architecture().register(&mode.register));
            let (location, width) =
                found.ok_or_else(|| GuestError::new(format!("there is no register `{name}`")))?;
            let endian = guest.architecture().layout()[location.space].endian;
            let (bits, value, has_flags) = (mode.bits, mode.value, mode.has_flags);
            registers.push(ModeRegister { name, location, width, endian, bits, value, has_flags });
        }
        Ok(FloatModes { registers, written: FxHashMap::default() })
    }

    /// Records a block before its first run.
    pub(crate) fn enter(&mut self, guest: &Guest, block: &Block) {
        let mut written = Vec::new();
        for (number, register) in self.registers.iter().enumerate().filter(|(_, one)| one.is_put_by(block)) {
            // Of several writes, the block has only the last one.
            let instructions = block.instructions().map(|(address, _)| Place { address, ..block.place });
            let writers = instructions.filter_map(|place| guest.instruction(place));
            let is_repeated = writers.filter(|single| register.may_be_set_by(single)).count() > 1;
            written.push(WrittenModes { number, is_repeated });
        }
        if !written.is_empty() {
            self.written.insert(block.place, written);
        }
    }

    /// Records in the ledger the modes that a block has set, in the state after it.
    #[inline]
    pub(crate) fn note(
        &self,
        (place, last): (Place, u64),
        state: &mut State,
        terms: &mut Terms,
        ledger: &mut Ledger,
    ) {
        if self.written.is_empty() {
            return;
        }
        for WrittenModes { number, is_repeated } in self.written.get(&place).into_iter().flatten() {
            let register = &self.registers[*number];
            if !is_repeated && !register.may_have_other_modes(state, terms) {
                continue;
            }
            let what = format!(
                "the program sets a mode of floating-point arithmetic in `{}`; results were rounded to the nearest, with denormal \
                 numbers, in every mode",
                register.name
            );
            ledger.note(AssumptionKind::Processor, last, what, true);
        }
    }
}

impl ModeRegister {
    /// Whether an instruction may set modes. One that writes flags beside them in the same register keeps what it has read there.
    fn may_be_set_by(&self, instruction: &Block) -> bool {
        let range = AddressRange::of_value(self.location, self.width);
        let is_get = |statement: &Statement| match statement {
            Statement::Get { location, result } => {
                range.overlaps(&AddressRange::of_value(*location, instruction.width((*result).into())))
            }
            _ => false,
        };
        self.is_put_by(instruction) && !(self.has_flags && instruction.statements.iter().any(is_get))
    }

    /// Whether a block writes the register.
    fn is_put_by(&self, block: &Block) -> bool {
        let range = AddressRange::of_value(self.location, self.width);
        block.statements.iter().any(|statement| match statement {
            Statement::Put { location, value } => {
                range.overlaps(&AddressRange::of_value(*location, block.width(*value)))
            }
            _ => false,
        })
    }

    /// Whether the modes are others than those that arithmetic has here, or may be with other input.
    fn may_have_other_modes(&self, state: &mut State, terms: &mut Terms) -> bool {
        let ModeRegister { location, width, endian, bits, value, .. } = *self;
        let Ok(held) = state.get(location, width, endian) else { return true };
        let term = state.shadow(location.space).read(terms, location.offset, &held, endian);
        match term.map(|term| terms.facts(term)) {
            // Flags of comparisons may be in the same register.
            Some(facts) => facts.ones & bits != value || facts.zeros & bits != !value & bits,
            None => held.to_word::<u64>() & bits != value,
        }
    }
}
