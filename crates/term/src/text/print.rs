//! Printer of the text format of terms.

use std::fmt;

use crate::names::{Names, Naming};
use crate::{Array, ArrayView, Part, Term, Terms, View};

/// Terms as text, made by [`Terms::text`]: a line for each let-bound subterm, which is shared or deep, then a line for
/// each term.
///
/// ```text
/// t1 = zext:32 i0
/// ult:1 (mul:32 t1 t1) (add:32 t1 0x5:32)
/// ```
pub struct Text<'a> {
    terms: &'a Terms,
    roots: Vec<Term>,
}

impl Terms {
    /// The term as text, which [`Terms::parse`] parses.
    #[must_use]
    pub fn text(&self, term: Term) -> Text<'_> {
        Text { terms: self, roots: vec![term] }
    }

    /// Several terms as one text.
    #[must_use]
    pub fn text_of(&self, roots: &[Term]) -> Text<'_> {
        Text { terms: self, roots: roots.to_vec() }
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self
            .terms
            .names(&self.roots, |part| if self.is_short(part) { Naming::Never } else { Naming::Usual });
        for (number, &part) in names.parts.iter().enumerate() {
            write!(formatter, "t{} = ", number + 1)?;
            self.write(formatter, &names, part)?;
            writeln!(formatter)?;
        }
        for (index, &root) in self.roots.iter().enumerate() {
            if index > 0 {
                writeln!(formatter)?;
            }
            match names.of(Part::Term(root)) {
                Some(name) => write!(formatter, "t{name}")?,
                None => self.write(formatter, &names, Part::Term(root))?,
            }
        }
        Ok(())
    }
}

impl Text<'_> {
    /// Returns true if a part is always printed inline.
    fn is_short(&self, part: Part) -> bool {
        match part {
            Part::Term(term) => matches!(self.terms.view(term), View::Constant(_) | View::Input(_)),
            Part::Array(array) => {
                matches!(self.terms.array_view(array), ArrayView::Table(bytes) if bytes.len() <= 8)
            }
        }
    }

    fn write(&self, formatter: &mut fmt::Formatter<'_>, names: &Names, part: Part) -> fmt::Result {
        let terms = self.terms;
        match part {
            Part::Term(term) => match terms.view(term) {
                View::Constant(bits) => return write!(formatter, "{bits}"),
                View::Input(input) => return write!(formatter, "i{}", input.0),
                View::Apply { op, .. } => write!(formatter, "{op}:{}", terms.width(term))?,
                View::Read { .. } => write!(formatter, "read")?,
            },
            Part::Array(array) => match terms.array_view(array) {
                ArrayView::Table(bytes) => return write_table(formatter, terms, array, bytes),
                ArrayView::Store { .. } => write!(formatter, "store")?,
            },
        }
        for inner in terms.direct(part) {
            formatter.write_str(" ")?;
            if let Some(name) = names.of(inner) {
                write!(formatter, "t{name}")?;
            } else if matches!(inner, Part::Term(_)) && self.is_short(inner) {
                self.write(formatter, names, inner)?;
            } else {
                formatter.write_str("(")?;
                self.write(formatter, names, inner)?;
                formatter.write_str(")")?;
            }
        }
        Ok(())
    }
}

fn write_table(formatter: &mut fmt::Formatter<'_>, terms: &Terms, array: Array, bytes: &[u8]) -> fmt::Result {
    write!(formatter, "table:{} x", terms.index_width(array))?;
    bytes.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
}
