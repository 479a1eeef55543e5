//! Prints conditions as an SMT-LIB 2 script.

use std::fmt::{self, Write};

use everypath_ir::{Bits, Op, Width};

use super::{float, operator};
use crate::names::{Names, Naming};
use crate::{Array, ArrayView, Part, Term, Terms, View};

/// The number of table bytes per definition, which bounds the nesting of stores.
const STORES: usize = 32;

/// An operator that SMT-LIB cannot express: it has no floating-point format of 80 bits with an explicit leading bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inexpressible {
    /// The operator.
    pub op: Op,
}

impl fmt::Display for Inexpressible {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SMT-LIB cannot express {} on 80-bit floating-point values", self.op)
    }
}

impl std::error::Error for Inexpressible {}

impl Terms {
    /// The conditions, terms of one bit each, as an SMT-LIB 2 script of logic, declarations and assertions. The caller
    /// adds `check-sat`.
    ///
    /// Input byte 5 is named `i5`. The logic is `QF_BV`, or `ALL` if there are arrays or floating-point operators.
    ///
    /// # Errors
    /// If an operator cannot be expressed.
    pub fn smtlib(&self, conditions: &[Term]) -> Result<String, Inexpressible> {
        let naming = |part: Part| match part {
            Part::Term(term) => match self.view(term) {
                View::Constant(_) | View::Input(_) => Naming::Never,
                // The theory has no function to the bits of a floating-point value, so they are declared.
                View::Apply { op, .. } if float::has_float_result(op) => Naming::Always,
                _ => Naming::Usual,
            },
            Part::Array(array) => match self.array_view(array) {
                ArrayView::Table(_) => Naming::Always,
                ArrayView::Store { .. } => Naming::Usual,
            },
        };
        let mut writer = Writer { terms: self, names: self.names(conditions, naming), text: String::new() };
        let parts = self.parts(conditions);
        // No named logic has constant arrays, and not all solvers support one with arrays and floating point.
        let is_more = |&part: &Part| match part {
            Part::Term(term) => self.applied(term).is_some_and(|(op, _)| op.is_float()),
            Part::Array(_) => true,
        };
        let logic = if parts.iter().any(is_more) { "ALL" } else { "QF_BV" };
        writer.line(format_args!("(set-logic {logic})"));
        let mut inputs: Vec<u32> = Vec::new();
        for &part in &parts {
            if let Part::Term(term) = part
                && let View::Input(input) = self.view(term)
            {
                inputs.push(input.0);
            }
        }
        inputs.sort_unstable();
        for input in inputs {
            writer.line(format_args!("(declare-const i{input} (_ BitVec 8))"));
        }
        for &part in &parts {
            writer.define(part)?;
        }
        for &condition in conditions {
            let text = writer.reference(Part::Term(condition))?;
            writer.line(format_args!("(assert (= {text} #b1))"));
        }
        Ok(writer.text)
    }
}

/// A constant.
pub(super) fn literal(bits: &Bits) -> String {
    let width = bits.width().bits();
    if width.is_multiple_of(4) {
        let value = bits.to_string();
        let digits = value.trim_start_matches("0x").split(':').next().unwrap_or("0");
        return format!("#x{digits:0>length$}", length = width as usize / 4);
    }
    let digits: String = (0..width).rev().map(|bit| if bits.bit(bit) { '1' } else { '0' }).collect();
    format!("#b{digits}")
}

struct Writer<'a> {
    terms: &'a Terms,
    names: Names,
    text: String,
}

impl Writer<'_> {
    fn line(&mut self, line: fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn name(&self, part: Part) -> Option<String> {
        self.names.of(part).map(|number| match part {
            Part::Term(_) => format!("t{number}"),
            Part::Array(_) => format!("a{number}"),
        })
    }

    /// A use of a part: its name, or its expression.
    fn reference(&self, part: Part) -> Result<String, Inexpressible> {
        match self.name(part) {
            Some(name) => Ok(name),
            None => self.expression(part),
        }
    }

    fn define(&mut self, part: Part) -> Result<(), Inexpressible> {
        let Some(name) = self.name(part) else { return Ok(()) };
        match part {
            Part::Array(array) => match self.terms.array_view(array) {
                ArrayView::Table(bytes) => self.define_table(&name, array, bytes),
                ArrayView::Store { .. } => {
                    let (sort, text) = (array_sort(self.terms.index_width(array)), self.expression(part)?);
                    self.line(format_args!("(define-fun {name} () {sort} {text})"));
                }
            },
            Part::Term(term) => {
                let (width, text) = (self.terms.width(term), self.expression(part)?);
                match self.terms.applied(term) {
                    Some((op, _)) if float::has_float_result(op) => {
                        // A floating-point result is not a bit vector, and all NaN patterns are one value: declare bits
                        // that denote the value, and require the canonical NaN.
                        let sort = float::sort(op, width)?;
                        let not_a_number = literal(&float::not_a_number(width));
                        self.line(format_args!("(declare-const {name} (_ BitVec {width}))"));
                        self.line(format_args!("(define-fun {name}v () (_ FloatingPoint {sort}) {text})"));
                        self.line(format_args!("(assert (= ((_ to_fp {sort}) {name}) {name}v))"));
                        self.line(format_args!("(assert (=> (fp.isNaN {name}v) (= {name} {not_a_number})))"));
                    }
                    _ => self.line(format_args!("(define-fun {name} () (_ BitVec {width}) {text})")),
                }
            }
        }
        Ok(())
    }

    fn define_table(&mut self, name: &str, array: Array, bytes: &[u8]) {
        let index = self.terms.index_width(array);
        let sort = array_sort(index);
        // Only the bytes within the index range of a table can be read.
        let reachable = 1_usize.checked_shl(index.bits()).unwrap_or(usize::MAX).max(1);
        let entries: Vec<(usize, u8)> =
            bytes.iter().take(reachable).copied().enumerate().filter(|&(_, byte)| byte != 0).collect();
        let mut below = format!("((as const {sort}) #x00)");
        let chunks = entries.chunks(STORES).count();
        for (number, chunk) in entries.chunks(STORES).enumerate() {
            let mut text = "(store ".repeat(chunk.len()) + &below;
            for &(place, byte) in chunk {
                let place = literal(&Bits::from_u64(place as u64, index));
                // Writing to a string does not fail.
                let _ = write!(text, " {place} #x{byte:02x})");
            }
            below = text;
            if number + 1 < chunks {
                self.line(format_args!("(define-fun {name}.{number} () {sort} {below})"));
                below = format!("{name}.{number}");
            }
        }
        self.line(format_args!("(define-fun {name} () {sort} {below})"));
    }

    /// The expression of a part over its arguments.
    fn expression(&self, part: Part) -> Result<String, Inexpressible> {
        let arguments: Result<Vec<String>, Inexpressible> =
            self.terms.direct(part).map(|inner| self.reference(inner)).collect();
        let arguments = arguments?;
        match part {
            Part::Array(_) => Ok(format!("(store {})", arguments.join(" "))),
            Part::Term(term) => match self.terms.view(term) {
                View::Constant(bits) => Ok(literal(&bits)),
                View::Input(input) => Ok(format!("i{}", input.0)),
                View::Read { .. } => Ok(format!("(select {})", arguments.join(" "))),
                View::Apply { op, arguments: terms } => {
                    let widths: Vec<Width> = terms.iter().map(|&term| self.terms.width(term)).collect();
                    operator::expression(op, self.terms.width(term), &widths, &arguments)
                }
            },
        }
    }
}

fn array_sort(index: Width) -> String {
    format!("(Array (_ BitVec {index}) (_ BitVec 8))")
}
