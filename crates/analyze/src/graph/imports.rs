//! Functions of other files: which one an indirect exit leads to, and whether it returns.
//!
//! A call of an imported function reads its address from a word that the dynamic linker fills in: in the stubs of the procedure
//! linkage table, or where it is called if the program was compiled without such stubs.

use super::constants::Constants;
use super::node::Import;
use crate::program::Program;
use everypath_ir::{Block, Target};
use rustc_hash::FxHashSet;

/// The names of library functions that never return.
pub(super) fn never_returning() -> FxHashSet<&'static str> {
    let lines = include_str!("../../data/never_return.txt").lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// The imported function that an exit of a block leads to, if the block itself reads its address; and where the exit leads to
/// until the dynamic linker has looked that function up.
pub(super) fn import_of(
    program: &Program<'_>,
    block: &Block,
    exit: usize,
    never_returning: &FxHashSet<&str>,
) -> Option<(Import, Option<u64>)> {
    let Target::Computed { address, .. } = block.exits.get(exit)?.target else { return None };
    let mut constants = Constants::new(program, block);
    block.statements.iter().for_each(|statement| constants.pass(statement));
    let slot = constants.slot(address)?;
    let name = program.import_at(slot)?.clone();
    let returns = !never_returning.contains(&*name);
    Some((Import { name, returns }, program.lazy_target(slot)))
}
