//! The assumptions that a graph, and everything derived from it, rests on.

use super::node::IndirectExit;
use super::whole::Graph;
use everypath_ir::ExitKind;

impl Graph {
    /// The assumptions about compiled code that the graph relies on, as sentences for users. Empty if there are none.
    pub fn assumptions(&self) -> Vec<String> {
        let open = |is_meant: &dyn Fn(&IndirectExit) -> bool| {
            let is_open =
                |exit: &&IndirectExit| is_meant(exit) && exit.import.is_none() && !exit.state.is_resolved();
            self.indirect_exits().filter(is_open).count()
        };
        // A return to an address that the block has put in place of the return address is a jump.
        let is_return = |exit: &IndirectExit| {
            exit.kind == ExitKind::Return && !self.overwrites_return_address(exit.block)
        };
        let is_call = |exit: &IndirectExit| exit.kind == ExitKind::Call;
        let imports: Vec<_> = self.indirect_exits().filter_map(|exit| exit.import.as_ref()).collect();
        let ending = imports.iter().filter(|import| !import.returns).count();
        let mut assumptions = Vec::new();
        let jumps = open(&|exit| !is_call(exit) && !is_return(exit));
        if jumps > 0 {
            assumptions.push(format!(
                "{jumps} indirect jumps are not resolved: each is taken to lead to a listed target, to a block of its own \
                 function, to the first instruction of a function of this graph, behind a call of a function that returns \
                 twice, or out of the file"
            ));
        }
        let calls = open(&is_call);
        if calls > 0 {
            assumptions.push(format!(
                "{calls} indirect calls are not resolved: each is taken to enter a function of this graph at its first \
                 instruction"
            ));
        }
        let returns = open(&is_return);
        if returns > 0 {
            assumptions.push(format!(
                "{returns} returns are not resolved: each is taken to lead behind a call of its function"
            ));
        }
        if self.calls_as_jumps() > 0 {
            assumptions.push(format!(
                "{} calls are of the next instruction, or of code beside them that does not return to its caller: each is taken to \
                 obtain its address, to reserve stack or to jump, so that no return leads there",
                self.calls_as_jumps()
            ));
        }
        if self.trap_count() > 0 {
            assumptions.push(format!(
                "{} instructions trap: each is taken to end the program, not to be returned from by what handles it",
                self.trap_count()
            ));
        }
        if self.is_movable {
            assumptions.push(
                "the file can be loaded at any address: it is taken to be loaded where it says, and addresses are those of the file"
                    .to_owned(),
            );
        }
        if self.is_settled {
            assumptions.push(
                "memory that is read-only once the program has been loaded is taken to hold what the loader puts there: nothing writes it \
                 before, or makes it writable again"
                    .to_owned(),
            );
        }
        if !imports.is_empty() {
            assumptions.push(format!(
                "{} exits lead to functions of other files, which are taken to return to their caller; {ending} of them to \
                 functions that by their name never return",
                imports.len()
            ));
        }
        assumptions
    }
}
