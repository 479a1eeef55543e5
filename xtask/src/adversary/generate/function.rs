//! Functions of a generated program, its data, and the faults that are planted in some programs.

use super::scope::{Array, Function, Scope, Type, U8, U16};
use crate::adversary::tree::{Item, Node, items};

impl Scope<'_> {
    /// Arrays, writable and constant; the first one is of bytes and writable.
    pub(super) fn data(&mut self) -> Vec<Item> {
        let mut list = Vec::new();
        let lengths: &[u32] = if self.target.small { &[4, 8] } else { &[4, 8, 16] };
        for number in 0..3 + self.random.below(2) {
            let constant = number >= 2;
            let kind = if number == 0 { U8 } else { self.kind() };
            let length = if number == 0 { 8 } else { self.random.pick(lengths) };
            let name = format!("{}{number}", if constant { "c" } else { "g" });
            let zero = !constant && self.percent(30);
            let elements = if zero { 1 } else { length };
            let mut item = items![format!(
                "{}{} {name}[{length}] = {{",
                if constant { "static const " } else { "" },
                kind.name
            )];
            for position in 0..elements {
                if position > 0 {
                    item.push(", ".into());
                }
                item.push(if zero { "0".into() } else { self.constant(kind).into() });
            }
            item.push("};".into());
            list.push(Node::statement(item).into());
            self.arrays.push(Array { name, kind, length, constant });
        }
        list
    }

    /// A function with these parameters.
    fn function(&mut self, name: &str, parameters: &[Type], result: Type, depth: u32) -> Node {
        self.variables =
            parameters.iter().zip(["x", "y"]).map(|(kind, name)| (name.to_owned(), *kind)).collect();
        self.fixed = parameters.len();
        self.declarations.clear();
        self.loops = 1;
        let body = self.block(depth, 1);
        let value = self.expression(result, 2);
        let list = parameters.iter().zip(["x", "y"]).map(|(kind, name)| format!("{} {name}", kind.name));
        let list = list.collect::<Vec<_>>().join(", ");
        let mut function = items![format!("static {} NOINLINE {name}({list}) REENTRANT {{\n", result.name)];
        function.append(&mut self.declarations);
        function.extend(body);
        function.extend(items!["  return ", value, ";\n}"]);
        self.loops = 0;
        Node::statement(function)
    }

    /// The functions of the tables, the recursive one, and some more.
    pub(super) fn definitions(&mut self) -> Vec<Item> {
        let mut list: Vec<Item> = Vec::new();
        for number in 0..4 {
            list.push(self.function(&format!("fn{number}"), &[U16], U16, u32::from(number < 2)).into());
        }
        let order: Vec<String> = (0..4).map(|_| format!("fn{}", self.random.below(4))).collect();
        list.push(
            Node::statement(items![format!(
                "static const Function constant_table[4] = {{{}}};",
                order.join(", ")
            )])
            .into(),
        );
        list.push(Node::statement(items!["Function written_table[4] = {fn0, fn1, fn2, fn3};"]).into());
        self.variables = vec![("x".to_owned(), U16)];
        self.fixed = 1;
        let (end, condition) = (self.expression(U16, 1), self.condition(1));
        list.push(
            Node::statement(items![
                "static u16 NOINLINE recursive(u16 x, u8 n) REENTRANT {\n  if (n == 0) return ",
                end,
                ";\n  if (",
                condition,
                ") return (u16)(recursive((u16)(x >> 1), (u8)(n - 1)) + 1u);\n  return recursive((u16)(x + 3u), (u8)(n - 1));\n}"
            ])
            .into(),
        );
        for number in 0..self.random.below(2) {
            let (parameters, result) = ([self.kind(), self.kind()], self.kind());
            let name = format!("h{number}");
            list.push(self.function(&name, &parameters, result, 1).into());
            self.functions.push(Function { name, parameters: parameters.to_vec() });
        }
        for _ in 0..self.random.below(3) {
            list.extend(self.snippet());
        }
        self.variables.clear();
        self.declarations.clear();
        list
    }

    /// A function in assembly.
    fn snippet(&mut self) -> Option<Item> {
        if self.target.snippets.is_empty() {
            return None;
        }
        let choice = self.random.below(self.target.snippets.len());
        let name = format!("snippet{}", self.number());
        let text = self.with_bytes(&self.target.snippets[choice].clone()).replace("{name}", &name);
        self.functions.push(Function { name: name.clone(), parameters: vec![U16] });
        Some(Node::statement(items![format!("u16 {name}(u16 x);\n{text}")]).into())
    }

    /// Text with random bytes substituted for `{a}`, `{b}` and `{c}`.
    pub(super) fn with_bytes(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for place in ["{a}", "{b}", "{c}"] {
            text = text.replace(place, &self.random.number_below(256).to_string());
        }
        text
    }

    /// A fault that some inputs produce.
    pub(super) fn fault(&mut self, kind: &str) -> Node {
        let condition = if self.percent(60) {
            let byte = self.random.number_below(256);
            let mask = self.random.pick(&[0xff, 0x3f, 0x1f]);
            let variable = self.variable_use(U8);
            Node::expression("u8", items!["((", variable, format!(" & {mask}) == {})", byte & mask)])
        } else {
            self.condition(2)
        };
        match kind {
            "divide" => {
                let divisor = self.variable_use(U8);
                let mask = self.random.pick(&[7, 15, 63]);
                let dividend = self.expression(super::scope::U32, 1);
                // Through volatile cells, so that the compiler cannot replace the division.
                Node::statement(items![
                    "  { u32 dividend, divisor = ",
                    divisor,
                    format!(" & {mask}; out = "),
                    dividend,
                    "; dividend = out; probe = divisor; divisor = probe; out = dividend / divisor; }"
                ])
            }
            "load" => Node::statement(items!["  if (", condition, ") out = *(volatile u8 *)UNMAPPED;"]),
            "store" => {
                Node::statement(items!["  if (", condition, ") *(volatile u8 *)(unsigned long)&c2[0] = 1;"])
            }
            // A type whose values must be aligned, at an odd address.
            "misaligned" => Node::statement(items![
                "  { static u32 words[4] = {1, 2, 3, 4}; out = (u32)*(volatile ALIGNED *)((u8 *)words + (",
                condition,
                " ? 1 : 4)); }"
            ]),
            _ => Node::statement(items!["  if (", condition, ") __builtin_trap();"]),
        }
    }
}
