//! Demanded-bits analysis of terms (LLVM's `DemandedBits`): the inputs that a value may depend on, without those that only bits
//! hold which are cut off or masked.

use std::collections::BTreeSet;

use everypath_ir::{Width, Word, demanded_bits};
use rustc_hash::FxHashMap;

use crate::parts::Part;
use crate::{Input, Term, Terms, View};

impl Terms {
    /// The inputs of a term that its value may depend on: at most those of [`Terms::inputs`].
    ///
    /// The low byte of a sum of two registers, of which each has an input as its low byte, depends on these two inputs, and not
    /// on what the registers hold above them.
    #[must_use]
    pub fn demanded_inputs(&self, root: Term) -> BTreeSet<Input> {
        let mut wanted: FxHashMap<Term, u64> = FxHashMap::default();
        let mut found = BTreeSet::new();
        wanted.insert(root, u64::MAX);
        for part in self.parts(&[root]).into_iter().rev() {
            let part = match part {
                Part::Term(term) => term,
                // Whoever reads an array may read each of its bytes.
                Part::Array(array) => {
                    found.extend(self.array_inputs(array).iter());
                    continue;
                }
            };
            let width = self.width(part);
            let bits = match wanted.get(&part) {
                // Of a wide value, all bits are wanted or none.
                Some(1..) if width > Width::W64 => u64::MAX,
                Some(bits) => bits & u64::mask(width),
                None => 0,
            };
            if bits == 0 {
                continue;
            }
            match self.view(part) {
                View::Constant(_) => {}
                View::Input(input) => {
                    found.insert(input);
                }
                View::Read { index, .. } => {
                    wanted.insert(index, u64::MAX);
                }
                View::Apply { op, arguments } => {
                    let width = |place: usize| self.width(arguments[place]);
                    let constant = |place: usize| self.as_u64(arguments[place]);
                    for (place, argument) in arguments.iter().enumerate() {
                        *wanted.entry(*argument).or_default() |=
                            demanded_bits(op, place, bits, &width, &constant);
                    }
                }
            }
        }
        found
    }
}
