//! Programs of assembly only, for processors without a C compiler: random fragments, each with labels of its own.

use super::program::Program;
use super::scope::Scope;
use crate::adversary::input::{Cell, Contents, Domain};
use crate::adversary::list::Assembly;
use crate::adversary::tree::{Node, Role, items};

const NAMES: [&str; 2] = ["in_a", "in_b"];

pub(super) fn program(scope: &mut Scope<'_>, assembly: &Assembly) -> Program {
    let two = assembly.cells.len() > 1 && scope.percent(40);
    let mut list = items![assembly.head.clone()];
    for number in 0..2 + scope.random.below(5) {
        let choice = scope.random.below(assembly.fragments.len());
        let fragment = scope.with_bytes(&assembly.fragments[choice]).replace("{n}", &number.to_string());
        list.push(Node::statement(items![fragment]).into());
    }
    list.push(assembly.tail.clone().into());
    let masks: &[u8] = if two { &[0xff, 0x0f] } else { &[0xff] };
    let cells = masks.iter().zip(NAMES).zip(&assembly.cells).map(|((mask, name), address)| Cell {
        name,
        symbol: "",
        offset: *address,
        contents: Contents::Input { mask: *mask, reads: 1 },
    });
    let mut text = Node { role: Role::Statement, items: list };
    if !two {
        // Without the second cell its value is a constant.
        text = Node { role: Role::Statement, items: items![text, ""] };
    }
    Program { tree: text, domain: Domain { cells: cells.collect() }, faulty: false }
}
