//! "Ground truth" from our own concrete machine, for targets without an independent executor: it reveals errors of the
//! exploration, not of the semantics.

use super::generate::Program;
use super::truth::{Ending, NoTruth, PathHash, Run, Truth};
use everypath_environment::Guest;
use everypath_machine::{Concrete, ConcreteDomain, End, Machine, Watch};
use everypath_testkit::guests::Subject;

/// The maximum number of instructions in a run.
const BUDGET: u64 = 200_000;

struct Recorder<'t> {
    truth: &'t mut Truth,
    input: u64,
    previous: Option<u64>,
    path: PathHash,
    /// Instructions in order.
    trace: Vec<u64>,
}

impl Watch for Recorder<'_> {
    const INSTRUCTIONS: bool = true;

    fn instruction(&mut self, address: u64) {
        if let Some(previous) = self.previous {
            self.truth.edges.entry((previous, address)).or_insert(self.input);
        }
        self.previous = Some(address);
        self.path.step(address);
        self.trace.push(address);
    }
}

/// Runs all inputs; `traces` receives the instructions of each.
///
/// # Errors
/// If the program is not suited.
pub(super) fn run(
    subject: &Subject,
    program: &Program,
    traces: &mut dyn FnMut(&[u64]),
) -> Result<Truth, NoTruth> {
    let Subject { guest, configuration } = subject;
    let problem = |error: everypath_environment::GuestError| error.to_string();
    let entry = guest.entry(configuration).map_err(problem)?;
    let mut limits = guest.limits(configuration).map_err(problem)?;
    limits.instructions = BUDGET;
    let mut machine: Machine<&Guest, Concrete> = Machine::new(guest);
    let mut truth = Truth::default();
    for input in 0..program.domain.size() {
        let mut state = guest.state(configuration).map_err(problem)?;
        let mut world = guest.world(configuration).map_err(problem)?;
        let values: Vec<(&str, Vec<u64>)> = program
            .domain
            .values(input)
            .into_iter()
            .map(|(name, values)| (name, values.into_iter().map(u64::from).collect()))
            .collect();
        world.script(values.iter().map(|(name, values)| (*name, values.as_slice())));
        let mut domain = ConcreteDomain { state: &mut state, outside: world };
        let mut recorder =
            Recorder { truth: &mut truth, input, previous: None, path: PathHash::new(), trace: Vec::new() };
        let (end, _) = machine.run(&mut domain, entry, &limits, &mut recorder);
        if program.domain.number(&domain.outside.given()).is_none() {
            return Err(NoTruth::Unsuited("too many reads".to_owned()));
        }
        let ending = match end {
            End::Exited { address, .. } => {
                recorder.instruction(address);
                Ending::Stopped
            }
            End::Faulted { address, .. } => Ending::Faulted(address),
            _ => return Err(NoTruth::Unsuited(format!("our machine: {}", guest.explain(&end)))),
        };
        let path = recorder.path.0;
        traces(&recorder.trace);
        truth.runs.push(Run { path, ending, divides_by_zero: false });
    }
    Ok(truth)
}
