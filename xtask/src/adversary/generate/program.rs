//! A whole program: data, functions and `main`, and the input it reads.

use super::assembly;
use super::scope::{Function, Scope, U8, U16, U32};
use crate::adversary::input::{Cell, Contents, Domain};
use crate::adversary::list::Description;
use crate::adversary::tree::{Item, Node, items};
use everypath_testkit::random::Random;

/// A generated program.
#[derive(Clone, Debug)]
pub(in crate::adversary) struct Program {
    /// The source.
    pub(in crate::adversary) tree: Node,
    pub(in crate::adversary) domain: Domain,
    /// Its functions.
    pub(in crate::adversary) functions: Vec<Function>,
    /// Whether the arrays are input of a function that is explored by itself. Otherwise, what it reads from them is an assumption,
    /// and little is claimed.
    pub(in crate::adversary) arrays_are_input: bool,
    /// Whether its certificates and tests are tampered with, too.
    pub(in crate::adversary) tampered: bool,
    /// Whether some input may fault.
    pub(in crate::adversary) faulty: bool,
}

impl Program {
    /// The program without the scripted cells that it does not read.
    pub(in crate::adversary) fn trimmed(&self) -> Program {
        let text = self.tree.render();
        let mut program = self.clone();
        program.domain.cells.retain(|cell| match cell.contents {
            Contents::Input { .. } => true,
            // Once in its declaration.
            Contents::Script(_) => text.matches(cell.name).count() > 1,
        });
        program
    }
}

/// One program in this many has its certificates and tests tampered with.
const TAMPERED: u64 = 10;
/// The percentage of programs generated with a fault, if the target supports it.
const FAULTY: u64 = 12;

/// Generates the program of a seed. All programs begin with the text `header`.
pub(in crate::adversary) fn program(target: &Description, header: &str, seed: u64) -> Program {
    let mut scope = Scope {
        random: Random::named(seed, &target.name),
        target,
        arrays: Vec::new(),
        functions: Vec::new(),
        variables: Vec::new(),
        declarations: Vec::new(),
        fixed: 0,
        next: 0,
        loops: 0,
        is_main: false,
        reads: 0,
    };
    if let Some(fragments) = &target.assembly {
        let tampered = seed.is_multiple_of(TAMPERED);
        return Program { tampered, ..assembly::program(&mut scope, fragments) };
    }
    let domain = domain(&mut scope);
    let fault = (!target.faults.is_empty() && domain.size() <= 1024 && scope.percent(FAULTY)).then(|| {
        let choice = scope.random.below(target.faults.len());
        target.faults[choice].clone()
    });
    let mut list = items![masks(&domain), header];
    if let Some(start) = &target.start {
        let start = start.trim().replace('\n', "\\n");
        list.push(format!("__asm__(\".text\\n.globl _start\\n{start}\");\n").into());
    }
    list.extend(scope.data());
    list.extend(scope.definitions());
    list.push(main(&mut scope, &domain, fault.as_deref()).into());
    Program {
        tree: Node { role: crate::adversary::tree::Role::Statement, items: list },
        domain,
        functions: functions(&scope),
        faulty: fault.is_some(),
        arrays_are_input: seed.is_multiple_of(2),
        tampered: seed.is_multiple_of(TAMPERED),
    }
}

/// The functions that the program may call: those of its tables, the recursive one, and the others.
fn functions(scope: &Scope<'_>) -> Vec<Function> {
    let function =
        |name: &str, parameters: &[_]| Function { name: name.to_owned(), parameters: parameters.to_vec() };
    let of_tables = ["fn0", "fn1", "fn2", "fn3"].map(|name| function(name, &[U16]));
    let mut all = of_tables.to_vec();
    all.push(function("recursive", &[U16, U8]));
    all.extend(scope.functions.iter().cloned());
    all
}

/// The input cells, and the bits of each that the program uses.
fn domain(scope: &mut Scope<'_>) -> Domain {
    let (a, b): ((u8, u32), Option<u8>) = match scope.random.below(10) {
        0..=3 => ((0xff, 1), None),
        4 | 5 => ((0xff, 1), Some(scope.random.pick(&[0x0f, 0x83, 0x07]))),
        6 => ((0xff, 1), Some(0xff)),
        7 | 8 => (scope.random.pick(&[(0x0f, 2), (0x17, 2), (0x07, 3), (0x03, 4)]), None),
        _ => ((0x07, 3), Some(0x03)),
    };
    let bits = |mask: u8| mask.count_ones();
    let limit = scope.target.bits;
    let (a, b) = match (a, b) {
        (a, b) if bits(a.0) * a.1 + b.map_or(0, bits) <= limit => (a, b),
        (a, _) if bits(a.0) * a.1 <= limit => (a, None),
        _ => ((0xff >> (8 - limit.min(8)), 1), None),
    };
    let input = |name, symbol, offset, mask, reads| Cell {
        name,
        symbol,
        offset,
        contents: Contents::Input { mask, reads },
    };
    let mut cells = vec![input("in_a", "in_w", 1, a.0, a.1)];
    cells.extend(b.map(|mask| input("in_b", "in_b", 0, mask, 1)));
    let script = |name, values: &[u8]| Cell {
        name,
        symbol: name,
        offset: 0,
        contents: Contents::Script(values.to_vec()),
    };
    let polls = scope.random.below(3);
    let mut status = vec![0; polls];
    status.push(1);
    let sensor = [scope.random.number() as u8, scope.random.number() as u8, 7];
    cells.push(script("status", &status));
    cells.push(script("sensor", &sensor));
    Domain { cells }
}

fn masks(domain: &Domain) -> String {
    let mask = |name: &str| {
        domain.cells.iter().find_map(|cell| match cell.contents {
            Contents::Input { mask, .. } if cell.name == name => Some(mask),
            _ => None,
        })
    };
    let (a, b) = (mask("in_a").unwrap_or(0), mask("in_b").unwrap_or(0));
    format!("#define MASK_A 0x{a:x}\n#define MASK_B 0x{b:x}\n")
}

fn main(scope: &mut Scope<'_>, domain: &Domain, fault: Option<&str>) -> Node {
    scope.is_main = true;
    let reads = domain.cells.iter().find_map(|cell| match cell.contents {
        Contents::Input { reads, .. } => Some(reads),
        Contents::Script(_) => None,
    });
    scope.reads = reads.unwrap_or(1) - 1;
    scope.variables = vec![("a".to_owned(), U8)];
    let mut body: Vec<Item> = items!["  a = READ_A;\n"];
    if domain.cells.iter().any(|cell| cell.name == "in_b") {
        scope.variables.push(("b".to_owned(), U8));
        body.push("  b = READ_B;\n".into());
    }
    scope.fixed = scope.variables.len();
    let count = if scope.target.small { 2 + scope.random.below(3) } else { 2 + scope.random.below(4) };
    let faulty = fault.map(|_| scope.random.below(count));
    for position in 0..count {
        if let (Some(kind), true) = (fault, faulty == Some(position)) {
            body.push(scope.fault(kind).into());
        }
        body.push(scope.statement(2).into());
    }
    let last = scope.expression(U32, 2);
    body.push(Node::statement(items!["  out = ", last, ";"]).into());
    let mut list = items!["MAIN main(void) {\n  u8 a = 0, b = 0;\n"];
    list.append(&mut scope.declarations);
    list.extend(body);
    list.push("  done();\n  FINISH\n}\n".into());
    Node { role: crate::adversary::tree::Role::Statement, items: list }
}
