//! Programs in assembly, for processors without a C compiler: random fragments, each with its own labels.

use super::program::Program;
use super::scope::Scope;
use crate::adversary::input::{Cell, Contents, Domain};
use crate::adversary::list::Assembly;
use crate::adversary::tree::{Node, Role, items};

/// The cells: name, and the bits that a program uses.
const CELLS: [(&str, u8); 2] = [("in_a", 0xff), ("in_b", 0x0f)];

pub(super) fn program(scope: &mut Scope<'_>, assembly: &Assembly) -> Program {
    let head = scope.random.below(assembly.heads.len());
    let mut list = items![assembly.heads[head].clone()];
    for number in 0..2 + scope.random.below(5) {
        let choice = scope.random.below(assembly.fragments.len());
        let fragment = scope.with_bytes(&assembly.fragments[choice]).replace("{n}", &number.to_string());
        list.push(Node::statement(items![fragment]).into());
    }
    list.push(assembly.tail.clone().into());
    let cells = CELLS.iter().take(head + 1).zip(&assembly.cells).map(|((name, mask), address)| Cell {
        name,
        symbol: "",
        offset: *address,
        contents: Contents::Input { mask: *mask, reads: 1 },
    });
    let tree = Node { role: Role::Statement, items: list };
    let domain = Domain { cells: cells.collect() };
    Program { tree, domain, functions: Vec::new(), arrays_are_input: false, faulty: false, tampered: false }
}
