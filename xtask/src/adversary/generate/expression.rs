//! Random expressions: every width and sign, without undefined behaviour.

use super::scope::{Scope, Type, U8};
use crate::adversary::tree::{Item, Node, items};

impl Scope<'_> {
    /// A constant, often one at which comparisons change.
    pub(super) fn constant(&mut self, kind: Type) -> Node {
        let mask = u64::MAX >> (64 - kind.bits);
        let value = match self.random.below(6) {
            0 | 1 => self.random.number_below(12),
            2 => self.random.number_below(256),
            3 => 1 << self.random.number_below(u64::from(kind.bits)),
            4 => (mask >> 1).wrapping_add(self.random.number_below(2)),
            _ => self.random.number(),
        };
        let suffix = match kind.bits {
            64 => "ull",
            32 => "ul",
            _ => "u",
        };
        Node::expression(kind.name, items![format!("(({})0x{:x}{suffix})", kind.name, value & mask)])
    }

    /// A variable, cast to the type.
    pub(super) fn variable_use(&mut self, kind: Type) -> Node {
        if self.variables.is_empty() {
            return self.constant(kind);
        }
        // Later variables depend on most of the computation; the first is the input.
        let choice = if self.percent(30) { 0 } else { self.random.below(self.variables.len()) };
        let (name, own) = self.variables[choice].clone();
        let text = if own == kind { name } else { format!("(({}){name})", kind.name) };
        Node::expression(kind.name, items![text])
    }

    /// An index below a power of two.
    pub(super) fn index(&mut self, length: u32) -> Node {
        let last = length - 1;
        let variable = self.variable_use(U8);
        match self.random.below(6) {
            0 => Node::expression(
                "u8",
                items![format!("((u8){})", self.random.number_below(u64::from(length)))],
            ),
            1 => {
                let shift = 1 + self.random.below(4);
                Node::expression("u8", items!["(", variable, format!(" >> {shift} & {last})")])
            }
            2 => Node::expression("u8", items!["(", variable, format!(" % {length}u)")]),
            // Compilers select between the two, so that the index has two ranges.
            3 => {
                let (limit, others) = (self.random.number_below(256), [variable, self.variable_use(U8)]);
                let [first, second] = others;
                let condition = self.variable_use(U8);
                Node::expression(
                    "u8",
                    items![
                        "((u8)(",
                        condition,
                        format!(" > {limit} ? "),
                        first,
                        format!(" & {} : {last} - (", last >> 1),
                        second,
                        " & 1)))"
                    ],
                )
            }
            _ => Node::expression("u8", items!["(", variable, format!(" & {last})")]),
        }
    }

    fn leaf(&mut self, kind: Type) -> Node {
        if self.percent(65) {
            return self.variable_use(kind);
        }
        if self.arrays.is_empty() || self.percent(50) {
            return self.constant(kind);
        }
        let array = self.random.below(self.arrays.len());
        let (name, length) = (self.arrays[array].name.clone(), self.arrays[array].length);
        let index = self.index(length);
        Node::expression(kind.name, items![format!("(({}){name}[", kind.name), index, "])"])
    }

    /// An expression of a type.
    pub(super) fn expression(&mut self, kind: Type, depth: u32) -> Node {
        if depth == 0 || self.percent(15) {
            return self.leaf(kind);
        }
        let (name, unsigned, working) = (kind.name, kind.unsigned(), kind.working());
        let list: Vec<Item> = match self.random.below(16) {
            0..=5 => {
                let operator = self.random.pick(&["+", "-", "+", "-", "*", "&", "|", "^"]);
                let (left, right) = (self.expression(kind, depth - 1), self.expression(kind, depth - 1));
                let cast = format!("({working})({unsigned})");
                items![format!("(({name})({cast}"), left, format!(" {operator} {cast}"), right, "))"]
            }
            6 => {
                let (left, amount) = (self.expression(kind, depth - 1), self.shift(kind));
                items![format!("(({name})(({working})({unsigned})"), left, " << ", amount, "))"]
            }
            7 => {
                let (left, amount) = (self.expression(kind, depth - 1), self.shift(kind));
                let cast = if self.percent(40) { kind.with_sign() } else { unsigned };
                items![format!("(({name})(({cast})"), left, " >> ", amount, "))"]
            }
            8 => {
                let operator = self.random.pick(&["/", "%"]);
                let left = self.expression(kind, depth - 1);
                let right =
                    if self.percent(60) { self.constant(kind) } else { self.expression(kind, depth - 1) };
                items![
                    format!("(({name})(({unsigned})"),
                    left,
                    format!(" {operator} ({unsigned})("),
                    right,
                    " | 1)))"
                ]
            }
            9 => {
                let (operator, cast) = (self.random.pick(&["/", "%"]), kind.with_sign());
                let (left, right) = (self.expression(kind, depth - 1), self.variable_use(U8));
                items![
                    format!("(({name})(({cast})"),
                    left,
                    format!(" {operator} ({cast})(("),
                    right,
                    " & 7) + 1)))"
                ]
            }
            10 => {
                let other = self.kind();
                items![format!("(({name})"), self.expression(other, depth - 1), ")"]
            }
            11 => {
                let operator = self.random.pick(&["~", "-"]);
                items![
                    format!("(({name})({operator}({working})({unsigned})"),
                    self.expression(kind, depth - 1),
                    "))"
                ]
            }
            12 => {
                let condition = self.condition(depth - 1);
                let (left, right) = (self.expression(kind, depth - 1), self.expression(kind, depth - 1));
                items!["(", condition, " ? ", left, " : ", right, ")"]
            }
            13 => items![format!("(({name})"), self.condition(depth - 1), ")"],
            14 if !self.functions.is_empty() => {
                let choice = self.random.below(self.functions.len());
                let function = self.functions[choice].clone();
                let mut list = items![format!("(({name}){}(", function.name)];
                for (position, parameter) in function.parameters.iter().enumerate() {
                    if position > 0 {
                        list.push(", ".into());
                    }
                    list.push(self.expression(*parameter, depth - 1).into());
                }
                list.push("))".into());
                list
            }
            _ => return self.leaf(kind),
        };
        Node::expression(name, list)
    }

    fn shift(&mut self, kind: Type) -> Node {
        let last = kind.bits - 1;
        if self.percent(60) {
            let amount = self.random.number_below(u64::from(kind.bits));
            return Node::expression("u8", items![format!("((u8){amount})")]);
        }
        let variable = self.variable_use(U8);
        Node::expression("u8", items!["(", variable, format!(" & {last})")])
    }

    /// A condition. Some hold for no input, and some for all.
    pub(super) fn condition(&mut self, depth: u32) -> Node {
        let kind = self.kind();
        let byte = |number: u64| number & 0xff;
        let list = match self.random.below(12) {
            0..=5 => {
                let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let left = self.expression(kind, depth);
                let right = if self.percent(50) {
                    self.constant(kind)
                } else {
                    self.expression(kind, depth.saturating_sub(1))
                };
                items!["(", left, format!(" {operator} "), right, ")"]
            }
            6 => {
                let (left, right) = (self.expression(kind, depth), self.constant(kind));
                items!["((", left, " & ", right, ") != 0)"]
            }
            7 if depth > 0 => {
                let operator = self.random.pick(&["&&", "||"]);
                let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
                items!["(", left, format!(" {operator} "), right, ")"]
            }
            _ => {
                let (one, two) = (self.variable_use(U8), self.variable_use(U8));
                let (first, second) = (byte(self.random.number()), byte(self.random.number()));
                match self.random.below(8) {
                    0 => items!["((u8)((unsigned)", one, " * ", two, format!(") == {first})")],
                    1 => items!["(((u8)((unsigned)", one.clone(), " * ", one, ") & 3) == 2)"],
                    2 => items!["(", one, format!(" % 5u == {})", first % 7)],
                    3 => {
                        items!["((u8)((unsigned)", one, format!(" * {}u + {second}u) == {first})", first | 1)]
                    }
                    4 => items!["((", one, format!(" & {second}) == {first})")],
                    5 => items!["((u8)(", one.clone(), " ^ (", one, format!(" >> 1)) == {first})")],
                    6 => items!["((u16)(", one, " + 300u) < 256u)"],
                    _ => items!["(", one, format!(" / 10u == {})", first % 29)],
                }
            }
        };
        Node::expression("u8", list)
    }
}
