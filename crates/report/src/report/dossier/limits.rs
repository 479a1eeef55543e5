//! Chapter 11: the parts of the tool that are trusted, what this document does not show, and the instructions that the program uses.

use super::conformance;
use super::document::DossierDocument;
use super::index::DossierIndex;
use super::prose::Prose;

/// The limits of every dossier: the components that its verdicts trust, and the properties that it does not show.
const LIMITS: [&str; 9] = [
    "The decoder and the lifter, which give each instruction its meaning, are trusted by every verdict. They are checked against independent executors (a processor, emulators and simulators), instruction by instruction and on whole programs; the guide's page on conformance (`docs/guide/conformance.md`) has the measured shares of instructions, the known differences, and what is not compared.",
    "Tests were replayed in Everypath's own concrete machine, which is what confirms the directions that they cover. `everypath export` writes the tests as scripts for a simulator, a debugger or a board, which confirm them on an independent executor or on the target.",
    "The solver's unsatisfiable answers can have certificates, whose check does not trust the SAT solver; it trusts the reader of the query, its translation into clauses and the checker of the proof. Satisfiable answers need no trust: the test is run.",
    "Infeasible verdicts also trust the exploration, to have queried every alternative, and, where the evidence says so, the value-set analysis or the abstraction. These were attacked with random programs of which every input was run (`cargo xtask adversary`, see the page on conformance).",
    "The environment is that of the configuration. Timing, caches, pipelines, direct memory access and peripherals that it does not describe are not modelled; interrupts are taken only at some places, and the ledger lists what was not tried.",
    "Source lines come from the debug information that the compiler wrote, and function names from symbols or from the recovered control-flow graph; they are not verified.",
    "Branch coverage of the object code shows neither that the program meets its requirements, nor data coupling, nor that the tests have the right expected results: a test's expected behaviour is what the program did.",
    "Instructions that decide without branching (predicated and conditional-move instructions, saturation, stored flags) have no branch directions unless they change the program counter. Their outcomes are not in the tables.",
    "This document is no tool qualification (DO-330, ISO 26262-8, IEC 61508-3). Whether the tool's results may be relied on without another check depends on the qualification in the project that uses it; `everypath qualify` carries out a kit for it.",
];

/// The further limit of a dossier in which traces cover directions: their recording is trusted.
const TRACES: &str = "Directions that a trace covers were not replayed. They trust the recording: that it is of this program, that it has no gaps, and that it was made in a world that the configuration describes. A trace of blocks without an order (drcov) does not record directions: they are concluded from the blocks and the recovered control-flow graph, on the premise that the execution did not end at the branch (`docs/guide/cover.md`).";

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    document.chapter("Known limits");
    document.list("LIM", LIMITS.map(Prose::from));
    if !index.traces().is_empty() {
        document.list("LIM", [Prose::from(TRACES)]);
    }
    conformance::write(index, document);
}
