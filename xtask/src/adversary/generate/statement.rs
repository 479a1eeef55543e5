//! Random statements: branches, switches, bounded loops, indirect jumps and calls, and memory of every kind.

use super::scope::{Scope, U8, U16, U32};
use crate::adversary::tree::{Item, Node, items};

impl Scope<'_> {
    /// Some statements.
    pub(super) fn block(&mut self, depth: u32, most: usize) -> Vec<Item> {
        (0..=self.random.below(most)).map(|_| self.statement(depth).into()).collect()
    }

    /// A statement.
    pub(super) fn statement(&mut self, depth: u32) -> Node {
        if depth == 0 {
            return if self.percent(35) { self.store() } else { self.assignment() };
        }
        let choices = if self.loops > 0 { 12 } else { 30 };
        match self.random.below(choices) {
            0..=2 => self.assignment(),
            3..=7 => self.branch(depth),
            8 | 9 => self.store(),
            10 => self.bit_field(),
            11 => self.union_access(),
            12..=14 => self.switch(depth),
            15 | 16 => self.bounded_loop(depth),
            17 => self.copy_loop(),
            18 | 19 => self.table_call(),
            20 => self.written_table_call(),
            21 => self.structure(),
            22 if self.is_main && self.has("labels") => self.computed_goto(),
            23 => self.pointer(),
            24 if self.has("packed") => self.unaligned(),
            25 if self.has("recursion") => self.recursion(),
            26 if self.is_main => self.poll(),
            27 if self.is_main => self.read_again(),
            28 if self.is_main => self.scripted(),
            29 => self.range(),
            _ => self.branch(depth),
        }
    }

    fn assignment(&mut self) -> Node {
        let (name, kind) = self.assigned();
        let value = self.expression(kind, 3);
        Node::statement(items![format!("  {name} = "), value, ";"])
    }

    fn branch(&mut self, depth: u32) -> Node {
        let mut list = items!["  if (", self.condition(2), ") {\n"];
        list.extend(self.block(depth - 1, 2));
        if self.percent(50) {
            list.push("  } else {\n".into());
            list.extend(self.block(depth - 1, 2));
        }
        list.push("  }".into());
        Node::statement(list)
    }

    fn store(&mut self) -> Node {
        let writable: Vec<usize> =
            (0..self.arrays.len()).filter(|array| !self.arrays[*array].constant).collect();
        if writable.is_empty() {
            return self.assignment();
        }
        let array = self.arrays[self.random.pick(&writable)].clone();
        let (index, value) = (self.index(array.length), self.expression(array.kind, 2));
        let store = items![format!("  {}[", array.name), index, "] = ", value, ";"];
        if !self.percent(35) {
            return Node::statement(store);
        }
        let mut list = items!["  if (", self.condition(1), ")"];
        list.push(Node::statement(store).into());
        Node::statement(list)
    }

    /// An array read at an index that only two comparisons bound, and a branch that the element at a bound decides.
    fn range(&mut self) -> Node {
        let array = self.random.below(self.arrays.len());
        let array = self.arrays[array].clone();
        let low = self.random.number_below(u64::from(array.length) - 1);
        let high = low + 1 + self.random.number_below(u64::from(array.length) - low);
        let edge = if self.percent(50) { low } else { high - 1 };
        let (index, name) = (self.variable_use(U8), array.name);
        let mut list = items!["  { u8 i = ", index, format!("; if (i >= {low} && i < {high}) {{\n")];
        list.push(format!("  out = (u32){name}[i];\n  if ({name}[i] == {name}[{edge}]) {{\n").into());
        list.push(self.statement(0).into());
        list.push("  } } }".into());
        Node::statement(list)
    }

    fn switch(&mut self, depth: u32) -> Node {
        let dense = self.percent(60);
        let last: u32 = if self.target.small { 7 } else { self.random.pick(&[7, 15, 31]) };
        let base = self.random.pick(&[0, 0, 3, 100]);
        let value = self.expression(U8, 1);
        let mut list = if dense && self.percent(60) {
            items!["  switch ((u8)((", value, format!(" & {last}) + {base})) {{\n")]
        } else {
            items!["  switch ((u8)(", value, format!(" + {base})) {{\n")]
        };
        let mut labels: Vec<u32> = if dense {
            (0..last).map(|label| label + base).collect()
        } else {
            (0..5).map(|_| self.random.number_below(256) as u32).collect()
        };
        labels.sort_unstable();
        labels.dedup();
        for label in labels {
            if dense && self.percent(25) {
                continue;
            }
            let mut case = items![format!("  case {label}: {{\n")];
            let inner = if self.percent(25) { depth - 1 } else { 0 };
            case.push(self.statement(inner).into());
            case.push(if self.percent(85) { "  } break;" } else { "  } /* falls through */" }.into());
            list.push(Node { role: crate::adversary::tree::Role::Statement, items: case }.into());
        }
        if self.percent(60) {
            list.push("  default: {\n".into());
            list.push(self.statement(0).into());
            list.push("  }\n".into());
        }
        list.push("  }".into());
        Node::statement(list)
    }

    fn bounded_loop(&mut self, depth: u32) -> Node {
        let (counter, limit) = (self.counter(), self.counter());
        let bound = if self.percent(50) {
            Node::expression("u8", items![format!("((u8){})", 1 + self.random.below(4))])
        } else {
            let variable = self.variable_use(U8);
            Node::expression("u8", items!["(", variable, " & 3)"])
        };
        let mut list = items![
            format!("  {limit} = "),
            bound,
            format!(";\n  for ({counter} = 0; {counter} < {limit}; {counter}++) {{\n")
        ];
        self.loops += 1;
        self.variables.insert(self.fixed, (counter, U8));
        self.fixed += 1;
        list.extend(self.block(if depth > 1 { 1 } else { 0 }, 2));
        if self.percent(40) {
            let leave = self.random.pick(&["break", "continue"]);
            let condition = self.condition(1);
            list.push(Node::statement(items!["  if (", condition, format!(") {leave};")]).into());
        }
        self.fixed -= 1;
        self.variables.remove(self.fixed);
        self.loops -= 1;
        list.push("  }".into());
        Node::statement(list)
    }

    fn copy_loop(&mut self) -> Node {
        let counter = self.counter();
        let from = self.random.below(self.arrays.len());
        let (from, to) = (self.arrays[from].clone(), self.arrays[0].clone());
        let length = from.length.min(to.length).min(4);
        let bound = self.index(length);
        let kind = to.kind.name;
        let copy = format!("{}[{counter}] = ({kind}){}[{counter}];", to.name, from.name);
        Node::statement(items![
            format!("  for ({counter} = 0; {counter} < "),
            bound,
            format!("; {counter}++) {copy}")
        ])
    }

    fn table_call(&mut self) -> Node {
        let result = self.variable(U16);
        let (index, argument) = (self.index(4), self.expression(U16, 2));
        Node::statement(items![format!("  {result} = constant_table["), index, "](", argument, ");"])
    }

    fn written_table_call(&mut self) -> Node {
        let result = self.variable(U16);
        let (written, read, argument) = (self.index(4), self.index(4), self.expression(U16, 1));
        let function = self.random.below(4);
        let write = items!["  written_table[", written, format!("] = fn{function};")];
        let mut list = if self.percent(30) { items!["  if (", self.condition(1), ")"] } else { Vec::new() };
        list.push(Node::statement(write).into());
        list.extend(items![format!("  {result} = written_table["), read, "](", argument, ");"]);
        Node::statement(list)
    }

    fn recursion(&mut self) -> Node {
        let result = self.variable(U16);
        let (argument, depth) = (self.expression(U16, 2), self.index(4));
        Node::statement(items![format!("  {result} = recursive("), argument, ", ", depth, ");"])
    }

    fn structure(&mut self) -> Node {
        let (name, result) = (format!("s{}", self.number()), self.variable(U32));
        self.declarations
            .push(Node::statement(items![format!("  struct Record {name} = {{0, 0, 0, {{0}}}};")]).into());
        let (byte, word, condition) = (self.expression(U8, 1), self.expression(U32, 2), self.condition(1));
        let index = self.index(4);
        let mut list = items![
            format!("  {name}.a = "),
            byte,
            format!("; {name}.c = (i32)"),
            word,
            format!(";\n  {name}.d[2] = {name}.a;\n  if ("),
            condition,
            format!(") {name} = record;\n  {result} = (u32){name}.c + {name}.a + {name}.d["),
            index,
            "];"
        ];
        if self.percent(40) {
            list.push(Node::statement(items![format!("  record = {name};")]).into());
        }
        Node::statement(list)
    }

    fn bit_field(&mut self) -> Node {
        let (one, two) = (self.random.pick(&["p", "q", "r"]), self.random.pick(&["p", "q", "r"]));
        let value = self.expression(U8, 2);
        let result = self.variable(U8);
        Node::statement(items![format!("  fields.{one} = "), value, format!(";\n  {result} = fields.{two};")])
    }

    fn union_access(&mut self) -> Node {
        let name = format!("n{}", self.number());
        self.declarations.push(Node::statement(items![format!("  union Word {name} = {{0}};")]).into());
        let (word, written, byte) = (self.expression(U32, 2), self.index(4), self.variable_use(U8));
        let (result, read) = (self.variable(U32), self.index(4));
        Node::statement(items![
            format!("  {name}.w = "),
            word,
            format!("; {name}.b["),
            written,
            "] = ",
            byte,
            format!(";\n  {result} = {name}.w + {name}.b["),
            read,
            "];"
        ])
    }

    fn computed_goto(&mut self) -> Node {
        let number = self.number();
        let index = self.index(4);
        let order: Vec<String> = (0..4).map(|_| format!("&&l{number}_{}", self.random.below(3))).collect();
        let mut list = items![
            format!(
                "  {{ static const void *const t{number}[4] = {{{}}};\n  goto *t{number}[",
                order.join(", ")
            ),
            index,
            "];\n"
        ];
        for label in 0..3 {
            list.push(format!("  l{number}_{label}:;\n").into());
            list.push(self.statement(0).into());
        }
        list.push("  }".into());
        Node::statement(list)
    }

    fn pointer(&mut self) -> Node {
        let name = format!("p{}", self.number());
        let (one, result) = (self.arrays[0].clone(), self.variable(U8));
        let (condition, first, second) = (self.condition(1), self.index(one.length), self.index(4));
        let (value, index) = (self.expression(U8, 1), self.index(one.length));
        Node::statement(items![
            format!("  {{ u8 *{name} = "),
            condition,
            format!(" ? &{}[", one.name),
            first,
            "] : &record.d[",
            second,
            format!("];\n  *{name} = "),
            value,
            format!("; }}\n  {result} = {}[", one.name),
            index,
            "];"
        ])
    }

    fn unaligned(&mut self) -> Node {
        let (one, result) = (self.arrays[0].clone(), self.variable(U32));
        let (index, written, value) = (self.index(4), self.index(4), self.expression(U32, 1));
        let mut list = items![format!("  {result} = ((struct Packed *)&{}[", one.name), index, "])->w;"];
        if self.percent(50) {
            let store =
                items![format!("  ((struct Packed *)&{}[", one.name), written, "])->w = ", value, ";"];
            list.push(Node::statement(store).into());
        }
        Node::statement(list)
    }

    /// Waits for a bit of an input cell or of a scripted cell.
    fn poll(&mut self) -> Node {
        let counter = self.counter();
        let result = self.variable(U8);
        if self.reads > 1 && self.percent(60) {
            let reads = self.reads.min(2 + self.random.below(2) as u32);
            self.reads -= reads;
            let bit = 1 << self.random.below(2);
            return Node::statement(items![format!(
                "  for ({counter} = 0; {counter} < {reads}; {counter}++) {{ {result} = READ_A; if ({result} & {bit}) break; }}"
            )]);
        }
        Node::statement(items![format!("  while (!(status & 1)) {counter}++;\n  {result} = {counter};")])
    }

    fn read_again(&mut self) -> Node {
        if self.reads == 0 {
            return self.assignment();
        }
        self.reads -= 1;
        let result = self.variable(U8);
        if self.percent(30) {
            let name = format!("w{}", self.number());
            return Node::statement(items![format!(
                "  {{ struct Wide {name} = in_w; {result} = (u8)({name}.a & MASK_A) + {name}.x; }}"
            )]);
        }
        Node::statement(items![format!("  {result} = READ_A;")])
    }

    fn scripted(&mut self) -> Node {
        let result = self.variable(U8);
        Node::statement(items![format!("  {result} = sensor;")])
    }
}
