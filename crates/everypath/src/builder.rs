//! The builder of an exploration: its plan and its extensions, and how it is run.

use crate::binary::Binary;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::running::Running;
use everypath_environment::{Configuration, TargetError};
use everypath_explore::{Criterion, Explorer, Extensions, NoObserver, Observer, Plan, StrategyEntry};
use everypath_oracle::Definition;
use everypath_solve::{Log, Solver, SolverStack};
use std::io::Write;

/// An exploration of a program, before it runs: its environment (entry, stop addresses, inputs), its plan (criterion,
/// bounds, oracles, strategy), and its solver.
///
/// ```
/// use everypath::{Binary, Criterion};
/// let code = [0xe5, 0x80, 0x60, 0x00, 0x80, 0xfe]; // mov a,p0; jz 4; sjmp $
/// let binary = Binary::options().architecture("8051").raw(0).read(code)?;
/// let exploration = binary.explore().stop_at(4).criterion(Criterion::Path).oracles(["stack"]).seconds(60);
/// assert!(exploration.run()?.findings().is_empty());
/// # Ok::<(), everypath::Error>(())
/// ```
#[must_use]
pub struct ExplorationBuilder {
    binary: Binary,
    plan: Plan,
    extensions: Extensions,
    solver: SolverStack,
    log: Option<Box<dyn Write + Send>>,
}

impl Binary {
    /// An exploration of the program, to be configured further.
    pub fn explore(&self) -> ExplorationBuilder {
        ExplorationBuilder::new(self.clone())
    }
}

impl ExplorationBuilder {
    fn new(binary: Binary) -> Self {
        let (plan, extensions, solver) = (Plan::default(), Extensions::default(), SolverStack::default());
        Self { binary, plan, extensions, solver, log: None }
    }

    /// Changes the configuration of the environment.
    pub fn configure(mut self, change: impl FnOnce(&mut Configuration)) -> Self {
        change(&mut self.binary.configuration);
        // The text that it came from, if any, no longer says what is configured.
        self.binary.configuration_hash.clear();
        self
    }

    /// Sets the whole plan, with bounds that have no method of their own.
    pub fn plan(self, plan: Plan) -> Self {
        Self { plan, ..self }
    }

    /// The coverage criterion. The default is [`Criterion::Branch`].
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.plan.criterion = criterion;
        self
    }

    /// Searches for a target, in the text form of [`TargetText`](crate::TargetText); further calls add further targets. The answers are
    /// [`Outcome::targets`].
    ///
    /// ```
    /// use everypath::{Binary, TargetVerdict};
    /// // movx a,@dptr; cjne a,#42,5; nop; sjmp $
    /// let code = b"\xe0\xb4\x2a\x01\x00\x80\xfe";
    /// let binary = Binary::options().architecture("8051").raw(0).read(code)?;
    /// let outcome = binary.explore().volatile_in("EXTMEM", "port", 0, 1).target("4")?.target("5: A > 250")?.run()?;
    /// assert!(matches!(outcome.targets()[0].verdict, TargetVerdict::Confirmed { .. }));
    /// assert_eq!(outcome.tests()[0].cells[0].values, [42]);
    /// assert!(outcome.tests()[1].cells[0].values[0] > 250);
    /// # Ok::<(), everypath::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the text is no target.
    pub fn target(mut self, text: &str) -> Result<Self, Error> {
        let target = text.parse().map_err(|error: TargetError| self.binary.misfit(&error))?;
        if self.plan.targets.is_empty() {
            self.plan.criterion = Criterion::Target;
            "nearest".clone_into(&mut self.plan.strategy);
        }
        self.plan.targets.push(target);
        Ok(self)
    }

    /// The seed of random choices.
    pub fn seed(mut self, seed: u64) -> Self {
        self.plan.seed = seed;
        self
    }

    /// The time limit, in seconds.
    pub fn seconds(mut self, seconds: u64) -> Self {
        self.plan.bounds.seconds = Some(seconds);
        self
    }

    /// The maximum number of paths.
    pub fn paths(mut self, paths: u64) -> Self {
        self.plan.bounds.paths = paths;
        self
    }

    /// Keeps every test, rather than a minimised suite.
    pub fn keep_all(mut self) -> Self {
        self.plan.keep_all = true;
        self
    }

    /// Merges paths that meet at one place and differ only in data.
    pub fn merge(mut self) -> Self {
        self.plan.merge = true;
        self
    }

    /// Shows directions infeasible by an abstraction of all paths, when the search covers nothing new for so much work, in
    /// executed instructions.
    pub fn prove(mut self, patience: u64) -> Self {
        self.plan.prove = Some(patience);
        self
    }

    /// Finds inputs with which the program never ends, and proves it: findings of the name `hang`.
    pub fn hangs(mut self) -> Self {
        self.plan.hangs = true;
        self
    }

    /// The oracles that watch, by name. The default is all of [`everypath_oracle::ALL`].
    pub fn oracles<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        self.plan.oracles = names.into_iter().map(str::to_owned).collect();
        self
    }

    /// Adds an oracle of your own to those that watch, whichever [`ExplorationBuilder::oracles`] names.
    pub fn own_oracle(mut self, oracle: Definition) -> Self {
        self.extensions.oracles.push(oracle);
        self
    }

    /// The search strategy, by name; one of [`everypath_explore::STRATEGIES`].
    pub fn strategy(mut self, name: &str) -> Self {
        name.clone_into(&mut self.plan.strategy);
        self
    }

    /// Searches with a strategy of your own, instead of the one that [`ExplorationBuilder::strategy`] names.
    pub fn own_strategy(mut self, strategy: StrategyEntry) -> Self {
        self.extensions.strategies.push(strategy);
        self
    }

    /// The solver's layers and its second backend.
    pub fn solver(self, solver: SolverStack) -> Self {
        Self { solver, ..self }
    }

    /// Logs every solver query.
    pub fn log_queries(self, output: impl Write + Send + 'static) -> Self {
        Self { log: Some(Box::new(output)), ..self }
    }

    /// Runs the exploration to its end.
    ///
    /// # Errors
    /// If the configuration or the plan does not fit the program, or the setup is wrong.
    pub fn run(self) -> Result<Outcome, Error> {
        self.run_with(&mut NoObserver)
    }

    /// Runs the exploration, and tells an observer of its progress and of each test, finding and verdict. The observer
    /// can stop it.
    ///
    /// # Errors
    /// As of [`ExplorationBuilder::run`].
    pub fn run_with(self, observer: &mut dyn Observer) -> Result<Outcome, Error> {
        let Self { binary, mut plan, extensions, solver: stack, log } = self;
        // Here and not when they were added: the plan may have been set since.
        plan.oracles.extend(extensions.oracles.iter().map(|oracle| oracle.name.to_owned()));
        if let Some(own) = extensions.strategies.last() {
            own.name.clone_into(&mut plan.strategy);
        }
        let mut solver: Box<dyn Solver> = stack.build();
        if let Some(output) = log {
            solver = Box::new(Log::new(solver, output));
        }
        let configuration = &binary.configuration;
        let explorer =
            Explorer::with_extensions(&binary.guest, configuration, plan.clone(), solver, &extensions)
                .map_err(|error| binary.misfit(&error))?;
        let found = explorer.run(observer);
        Outcome::assemble(&binary, &plan, found, stack.second.as_ref())
    }

    /// Starts the exploration in a thread of its own, and returns an iterator over its discoveries.
    #[must_use]
    pub fn start(self) -> Running {
        Running::start(move |observer| self.run_with(observer))
    }
}
