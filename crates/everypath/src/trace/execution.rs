//! An execution that another tool recorded, as data.

use everypath_record::Direction;
use std::collections::BTreeSet;

/// An execution that another tool recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionTrace {
    /// Its name: the path of its file.
    pub name: String,
    /// The hash (SHA-256) of its file; empty if it comes from none.
    pub hash: String,
    /// The executed instructions or basic blocks.
    pub execution: RecordedExecution,
}

/// The recorded part of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedExecution {
    /// The starts of instructions or of basic blocks, in the order of their execution, without gaps; a list for each processor.
    InOrder(Vec<Vec<u64>>),
    /// The basic blocks, first address and size, without an order.
    Unordered(Vec<(u64, u64)>),
    /// A test of another suite, which was replayed on the concrete machine.
    Replayed(ReplayedTest),
}

/// The replay of a test of another suite, under the configuration of that suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedTest {
    /// The folder of its suite.
    pub suite: String,
    /// The function that its configuration tests by itself (`[call]`).
    pub function: Option<String>,
    /// Whether that configuration is another one than that of this run. What the test does then refutes nothing that is infeasible in
    /// this run.
    pub has_own_configuration: bool,
    /// The branch directions that it takes.
    pub directions: BTreeSet<Direction>,
    /// The instructions that it executes.
    pub executed: BTreeSet<u64>,
}

/// The program that a trace is of.
pub(super) struct TracedProgram<'p> {
    /// The name of its file.
    pub(super) name: &'p str,
    /// The lowest address that its file loads.
    pub(super) base: u64,
}
