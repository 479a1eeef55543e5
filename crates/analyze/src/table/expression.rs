//! Symbolic expressions over initial values, hash-consed: structurally equal expressions have one number.

use everypath_ir::{Algebra, Bits, Endian, Location, Op, SpaceId, Width, Word, simplified};
use rustc_hash::FxHashMap;

/// An expression: an index into its store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Expression(pub(crate) u32);

/// The structure of an expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Form {
    Constant(Bits),
    /// The value of a location at the start of the path.
    Initial {
        location: Location,
        width: Width,
        epoch: u32,
    },
    /// A load from memory in one version; each store that may alias the address creates a new version.
    Loaded {
        space: SpaceId,
        address: Expression,
        width: Width,
        version: u32,
    },
    Computed {
        op: Op,
        width: Width,
        arguments: [Expression; 3],
    },
    /// A fresh unknown value.
    Unknown(u32, Width),
}

/// Maximum nesting of simplifications.
const DEPTH: u32 = 24;
/// Maximum number of expressions on one path.
const LIMIT: usize = 200_000;
/// Maximum depth at which conditions are substituted into an expression.
const ASSUMED: u32 = 48;
/// Maximum number of subexpressions to visit.
pub(super) const PARTS: usize = 256;

/// The expressions of one path.
#[derive(Default)]
pub(crate) struct Store {
    forms: Vec<Form>,
    numbers: FxHashMap<Form, Expression>,
    depth: u32,
    unknown: u32,
    /// If set, a bound on the lower half of a value is assumed to bound all of it; the endianness locates the lower
    /// half of a register.
    pub(crate) lower_half_bounds_all: Option<Endian>,
}

impl Store {
    pub(crate) fn form(&self, expression: Expression) -> &Form {
        &self.forms[expression.0 as usize]
    }

    pub(crate) fn add(&mut self, form: Form) -> Expression {
        if let Some(known) = self.numbers.get(&form) {
            return *known;
        }
        let expression = Expression(self.forms.len() as u32);
        self.forms.push(form.clone());
        self.numbers.insert(form, expression);
        expression
    }

    /// A constant: the first expression of every path.
    pub(crate) fn fixed_part(&self) -> Expression {
        Expression(0)
    }

    /// A fresh unknown value.
    pub(crate) fn unknown(&mut self, width: Width) -> Expression {
        self.unknown += 1;
        self.add(Form::Unknown(self.unknown, width))
    }

    /// Returns true if the path has more expressions than allowed.
    pub(crate) fn is_full(&self) -> bool {
        self.forms.len() > LIMIT
    }

    pub(crate) fn number(&self, expression: Expression) -> Option<u64> {
        match self.form(expression) {
            Form::Constant(bits) => bits.to_u64(),
            _ => None,
        }
    }

    /// Splits an expression into base plus constant.
    pub(crate) fn split(&self, expression: Expression) -> (Option<Expression>, u64) {
        match self.form(expression) {
            Form::Constant(bits) => (None, bits.to_u64().unwrap_or(0)),
            Form::Computed { op: op @ (Op::Add | Op::Sub), arguments, width } => {
                match self.number(arguments[1]) {
                    Some(addend) if *op == Op::Add => (Some(arguments[0]), addend),
                    Some(taken) if *width <= Width::W64 => {
                        (Some(arguments[0]), taken.wrapping_neg().truncate(*width))
                    }
                    _ => (Some(expression), 0),
                }
            }
            _ => (Some(expression), 0),
        }
    }

    /// Returns true if an expression is the lower part of another.
    pub(crate) fn is_lower_part(&self, part: Expression, whole: Expression, endian: Endian) -> bool {
        match (self.form(part), self.form(whole)) {
            (Form::Computed { op: Op::Extract(0), arguments, .. }, _) => arguments[0] == whole,
            // Reading part of a register creates a second initial value.
            (
                Form::Initial { location, width, epoch },
                Form::Initial { location: whole, width: wide, epoch: other },
            ) => {
                let room = (wide.bytes() as u64).saturating_sub(width.bytes() as u64);
                let distance = if endian == Endian::Big { room } else { 0 };
                epoch == other
                    && width < wide
                    && location.space == whole.space
                    && location.offset == whole.offset + distance
            }
            _ => false,
        }
    }

    /// Simplifies an expression under conditions that hold or fail: predicated instructions select between their result
    /// and the previous value.
    pub(crate) fn assuming(&mut self, whole: Expression, conditions: &[(Expression, bool)]) -> Expression {
        if conditions.is_empty() {
            return whole;
        }
        let mut known = FxHashMap::default();
        self.assume(whole, conditions, &mut known, 0)
    }

    fn assume(
        &mut self,
        whole: Expression,
        conditions: &[(Expression, bool)],
        known: &mut FxHashMap<Expression, Expression>,
        depth: u32,
    ) -> Expression {
        if let Some(known) = known.get(&whole) {
            return *known;
        }
        if depth > ASSUMED || known.len() > PARTS || self.is_full() {
            return whole;
        }
        let result = match self.form(whole).clone() {
            Form::Computed { op: Op::Select, arguments: [condition, then, otherwise], width } => {
                match conditions.iter().find(|(given, _)| *given == condition) {
                    Some((_, true)) => self.assume(then, conditions, known, depth + 1),
                    Some((_, false)) => self.assume(otherwise, conditions, known, depth + 1),
                    None => {
                        let parts = [condition, then, otherwise];
                        let parts = parts.map(|part| self.assume(part, conditions, known, depth + 1));
                        self.compute(Op::Select, width, &parts)
                    }
                }
            }
            Form::Computed { op, arguments, width } => {
                let mut parts = arguments[..op.arity()].to_vec();
                for part in &mut parts {
                    *part = self.assume(*part, conditions, known, depth + 1);
                }
                if parts == arguments[..op.arity()] { whole } else { self.compute(op, width, &parts) }
            }
            Form::Loaded { space, address, width, version } => {
                let address = self.assume(address, conditions, known, depth + 1);
                self.add(Form::Loaded { space, address, width, version })
            }
            _ => whole,
        };
        known.insert(whole, result);
        result
    }

    /// The direct subexpressions.
    pub(crate) fn parts(&self, expression: Expression) -> Vec<Expression> {
        match self.form(expression) {
            Form::Computed { op, arguments, .. } => arguments[..op.arity()].to_vec(),
            Form::Loaded { address, .. } => vec![*address],
            _ => Vec::new(),
        }
    }

    /// All subexpressions including the expression itself, without constants.
    pub(crate) fn all_parts(&self, whole: Expression) -> Vec<Expression> {
        let mut parts = vec![whole];
        let mut next = 0;
        while let Some(part) = parts.get(next).copied() {
            next += 1;
            for inner in self.parts(part) {
                if parts.len() < PARTS && self.number(inner).is_none() && !parts.contains(&inner) {
                    parts.push(inner);
                }
            }
        }
        parts
    }
}

impl Algebra for Store {
    type Value = Expression;

    fn width(&self, value: Expression) -> Width {
        match self.form(value) {
            Form::Constant(bits) => bits.width(),
            Form::Initial { width, .. }
            | Form::Loaded { width, .. }
            | Form::Computed { width, .. }
            | Form::Unknown(_, width) => *width,
        }
    }

    fn value(&self, value: Expression) -> Option<Bits> {
        match self.form(value) {
            Form::Constant(bits) => Some(bits.clone()),
            _ => None,
        }
    }

    fn definition(&self, value: Expression) -> Option<(Op, [Expression; 3])> {
        match self.form(value) {
            Form::Computed { op, arguments, .. } => Some((*op, *arguments)),
            _ => None,
        }
    }

    fn constant(&mut self, bits: Bits) -> Expression {
        self.add(Form::Constant(bits))
    }

    fn compute(&mut self, op: Op, width: Width, arguments: &[Expression]) -> Expression {
        let constants: Option<Vec<Bits>> = arguments.iter().map(|argument| self.value(*argument)).collect();
        if let Some(constants) = constants {
            return self.constant(op.apply(width, &constants));
        }
        let mut padded = [arguments[0]; 3];
        padded[..arguments.len()].copy_from_slice(arguments);
        if op.is_commutative() {
            let key = |argument: Expression| (self.number(argument).is_some(), argument);
            if key(padded[0]) > key(padded[1]) {
                padded.swap(0, 1);
                padded[2] = padded[0];
            }
        }
        if self.depth < DEPTH {
            self.depth += 1;
            let simpler = simplified(self, op, width, padded);
            self.depth -= 1;
            if let Some(simpler) = simpler {
                return simpler;
            }
        }
        self.add(Form::Computed { op, width, arguments: padded })
    }
}
