//! The scope of generated code: variables, arrays and functions, and the capabilities of the target's compiler.

use crate::adversary::list::Description;
use crate::adversary::tree::{Item, Node, items};
use everypath_testkit::random::Random;

/// An integer type: its name in C, and its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::adversary) struct Type {
    pub(super) name: &'static str,
    pub(in crate::adversary) bits: u32,
    pub(in crate::adversary) signed: bool,
}

const fn of(name: &'static str, bits: u32, signed: bool) -> Type {
    Type { name, bits, signed }
}

pub(super) const U8: Type = of("u8", 8, false);
pub(super) const U16: Type = of("u16", 16, false);
pub(super) const U32: Type = of("u32", 32, false);
const NARROW: [Type; 8] = [U8, U8, U8, of("i8", 8, true), U16, U16, of("i16", 16, true), U32];
const ALL: [Type; 8] = [U8, U8, of("i8", 8, true), U16, of("i16", 16, true), U32, U32, of("i32", 32, true)];
const WIDE: [Type; 2] = [of("u64", 64, false), of("i64", 64, true)];

impl Type {
    /// The unsigned type of the same width.
    pub(super) fn unsigned(self) -> &'static str {
        match self.bits {
            8 => "u8",
            16 => "u16",
            32 => "u32",
            _ => "u64",
        }
    }

    /// The signed type of the same width.
    pub(super) fn with_sign(self) -> &'static str {
        match self.bits {
            8 => "i8",
            16 => "i16",
            32 => "i32",
            _ => "i64",
        }
    }

    /// An unsigned type in which arithmetic does not overflow into undefined behaviour after promotion.
    pub(super) fn working(self) -> &'static str {
        match self.bits {
            8 | 16 => "unsigned",
            32 => "u32",
            _ => "u64",
        }
    }
}

/// An array of a power of two of elements.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) name: String,
    pub(super) kind: Type,
    pub(super) length: u32,
    pub(super) constant: bool,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(in crate::adversary) struct Function {
    pub(in crate::adversary) name: String,
    pub(in crate::adversary) parameters: Vec<Type>,
}

/// The state of a generator.
pub(super) struct Scope<'g> {
    pub(super) random: Random,
    pub(super) target: &'g Description,
    pub(super) arrays: Vec<Array>,
    pub(super) functions: Vec<Function>,
    /// Variables of the current function.
    pub(super) variables: Vec<(String, Type)>,
    /// Their declarations.
    pub(super) declarations: Vec<Item>,
    /// The number of variables that are read-only.
    pub(super) fixed: usize,
    pub(super) next: u32,
    pub(super) loops: u32,
    /// Whether the code is that of `main`: only there are cells read and computed gotos made.
    pub(super) is_main: bool,
    /// The remaining number of reads of `in_a`.
    pub(super) reads: u32,
}

impl Scope<'_> {
    pub(super) fn has(&self, feature: &str) -> bool {
        !self.target.lacks.iter().any(|lacking| lacking == feature)
    }

    /// True with this probability, in percent.
    pub(super) fn percent(&mut self, chance: u64) -> bool {
        self.random.number_below(100) < chance
    }

    pub(super) fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    pub(super) fn kind(&mut self) -> Type {
        if self.has("wide") && self.percent(8) {
            return self.random.pick(&WIDE);
        }
        if self.target.small { self.random.pick(&NARROW) } else { self.random.pick(&ALL) }
    }

    /// A new variable of the function, initially zero.
    pub(super) fn variable(&mut self, kind: Type) -> String {
        let name = format!("v{}", self.number());
        let declaration = format!("  {} {name} = 0;", kind.name);
        self.declarations.push(Node::statement(items![declaration]).into());
        self.variables.push((name.clone(), kind));
        name
    }

    /// A variable that is assigned to nowhere else, such as a counter.
    pub(super) fn counter(&mut self) -> String {
        let name = format!("k{}", self.number());
        let declaration = format!("  u8 {name} = 0;");
        self.declarations.push(Node::statement(items![declaration]).into());
        name
    }

    /// A variable to assign to.
    pub(super) fn assigned(&mut self) -> (String, Type) {
        if self.variables.len() == self.fixed || self.percent(40) {
            let kind = self.kind();
            let name = self.variable(kind);
            return (name, kind);
        }
        let choice = self.fixed + self.random.below(self.variables.len() - self.fixed);
        self.variables[choice].clone()
    }
}
