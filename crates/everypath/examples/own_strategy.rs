//! A search strategy of your own: the pending branch with the longest path condition first.

use everypath::Binary;
use everypath::strategy::{Candidate, SearchView, Strategy, StrategyEntry};
use std::collections::BTreeMap;
use std::error::Error;

/// A lock: `mov dptr,#5`, three times `movx a,@dptr; cjne a,#N,done`, then `mov p1,#1; done: sjmp done`.
const FIRMWARE: &[u8] = b"\x90\0\x05\xe0\xb4\x01\x0b\xe0\xb4\x02\x07\xe0\xb4\x03\x03\x75\x90\x01\x80\xfe";

const DEEPEST_FIRST: StrategyEntry = StrategyEntry {
    name: "deepest-first",
    what: "the pending branch with the longest path condition first",
    make: |_seed| Box::new(DeepestFirst::default()),
};

/// The pending branches by depth; their numbers make the order total, and so the exploration deterministic.
#[derive(Default)]
struct DeepestFirst(BTreeMap<(usize, u64), Candidate>);

impl Strategy for DeepestFirst {
    fn add(&mut self, candidate: Candidate) {
        self.0.insert((candidate.depth, candidate.number), candidate);
    }

    fn next(&mut self, _view: &dyn SearchView) -> Option<Candidate> {
        self.0.pop_last().map(|(_, candidate)| candidate)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let binary = Binary::options().architecture("8051").raw(0).read(FIRMWARE)?;
    let exploration = binary.explore().volatile_in("EXTMEM", "keypad", 5, 1).keep_all();
    for test in exploration.own_strategy(DEEPEST_FIRST).run()?.tests() {
        println!("test {}: keys {:?}", test.name, test.cells[0].values);
    }
    Ok(())
}
