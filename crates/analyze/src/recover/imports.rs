//! Imported functions: which one an indirect exit leads to, and whether it returns.
//!
//! A call of an import reads its address from a slot that the dynamic linker fills in: in a stub of the procedure
//! linkage table, or at the call site in a program compiled without such stubs.

use super::constants::BlockConstants;
use crate::graph::Import;
use crate::program::Program;
use everypath_ir::{Block, Target};
use rustc_hash::FxHashSet;

/// Names of library functions that never return.
pub(super) fn never_returning() -> FxHashSet<&'static str> {
    let lines = include_str!("../../data/never_return.txt").lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// The import that an exit of a block leads to, if the block itself reads its slot; and the exit's target before lazy
/// binding.
pub(super) fn import_of(
    program: &Program<'_>,
    block: &Block,
    exit: usize,
    never_returning: &FxHashSet<&str>,
) -> Option<(Import, Option<u64>)> {
    let Target::Computed { address, .. } = block.exits.get(exit)?.target else { return None };
    let mut constants = BlockConstants::new(program, block);
    block.statements.iter().for_each(|statement| constants.pass(statement));
    let slot = constants.slot(address)?;
    let name = program.import_at(slot)?.clone();
    // A library that defines such a function itself calls its own, unless another file defines one, too.
    let own = program.image().symbol_named(&name);
    let is_own = own.is_some_and(|own| own.size > 0 && program.is_code(own.address));
    let returns = is_own || !never_returning.contains(&*name);
    Some((Import { name, returns }, program.lazy_target(slot)))
}
