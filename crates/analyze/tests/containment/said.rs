//! Static results for a guest.

use everypath_analyze::{
    AbortReason, AnalysisOptions, EntryState, Graph, Program, Settings, Trust, ValueSets,
};
use everypath_testkit::guests::Subject;
use std::sync::Arc;

/// Maximum number of rounds of value-set analysis and graph recovery.
const ROUNDS: usize = 16;

/// A program, its graph and its value sets.
pub(crate) struct Said<'g> {
    pub(crate) program: Program<'g>,
    pub(crate) graph: Graph,
    pub(crate) values: ValueSets,
}

impl<'g> Said<'g> {
    pub(crate) fn of(subject: &'g Subject, trust: Trust) -> Result<Self, String> {
        let Subject { guest, configuration } = subject;
        let problem = |error: everypath_environment::GuestError| error.to_string();
        let program = Program::new(guest.shared_architecture(), guest.image()).ok_or("no code")?;
        let start = guest.entry(configuration).map_err(problem)?;
        let mut graph = Graph::recover(&program, Settings { entries: vec![start], ..Settings::default() });
        let mut first = guest.state(configuration).map_err(problem)?;
        let bounds = AnalysisOptions {
            volatile: guest.world(configuration).map_err(problem)?.places(),
            start: Some((start, Arc::new(EntryState::of(&mut first, program.architecture())))),
            ..AnalysisOptions::new(&program, trust)
        };
        let mut values = ValueSets::analyse(&program, &graph, bounds.clone(), None);
        for _ in 0..ROUNDS {
            if !graph.take_values(&program, &values) {
                break;
            }
            values = ValueSets::analyse(&program, &graph, bounds.clone(), None);
        }
        Ok(Self { program, graph, values })
    }

    /// A summary of the results.
    pub(crate) fn told(&self) -> String {
        let Self { graph, values, .. } = self;
        let saturated = graph.indirect_exits().filter(|exit| exit.state.is_resolved()).count();
        format!(
            "{saturated} of {} computed exits saturated, {} of {} exits dead{}",
            graph.indirect_exits().count(),
            values.dead_exits().len(),
            graph.edges().count(),
            values.abort_reason().map_or(String::new(), |why| match why {
                AbortReason::Unbounded(block, _) =>
                    format!(", not from the start: {why:?} at {:#x}", graph.block(block).place.address),
                _ => format!(", not from the start: {why:?}"),
            })
        )
    }
}
