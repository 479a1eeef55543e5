//! One program on one target at one level: built, run with every input, explored, compared.

use super::build::{Built, build};
use super::claim::{explorations, explore};
use super::compare::{Case, Comparison, compare};
use super::function::{Called, busiest};
use super::generate::Program;
use super::list::{Kind, Target};
use super::shape::Shapes;
use super::truth::{NoTruth, Truth};
use super::{console, emulator, machine};
use everypath_lift::{Architecture, Library};
use everypath_testkit::guests::{self, Subject};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The explorations of a program: with each coverage criterion, and of one of its functions.
pub(super) const EXPLORATIONS: [&str; 3] = ["branch", "path", "function"];

/// A target with the artefacts that all its programs need.
pub(super) struct Bench {
    pub(super) target: Target,
    pub(super) architecture: Arc<Architecture>,
    pub(super) everypath: PathBuf,
    /// The compiled executor: a plugin, or a standalone program.
    pub(super) executor: PathBuf,
    /// The text that all programs begin with.
    pub(super) header: String,
    /// Whether each program is explored a second time, with a proof by abstraction.
    pub(super) proofs: bool,
}

/// The outcome for a program.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// It could not be compiled, or is not suited.
    Skipped(String),
    /// It was compared.
    Compared(Report),
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub(super) struct Report {
    pub(super) comparison: Comparison,
    /// The number of distinct paths over all inputs.
    pub(super) paths: u64,
    pub(super) inputs: u64,
    /// Inputs that our own machine ran and a simulator confirmed.
    pub(super) confirmed: u64,
    pub(super) complete: bool,
    /// The function that was explored by itself, and its directions that runs take.
    pub(super) called: Option<Called>,
    pub(super) function_directions: u64,
    /// The claims about it that runs could refute.
    pub(super) function_claims: u64,
    pub(super) truth: Truth,
    /// The seconds spent compiling, running all inputs, and exploring.
    pub(super) seconds: [f64; 3],
}

impl Bench {
    pub(super) fn new(root: &Path, target: Target, everypath: &Path, folder: &Path) -> Result<Bench, String> {
        let executor = emulator::compile(root, &target, folder)?;
        let name = &target.description.name;
        let architecture = Library::built_in().load(name).map_err(|error| error.to_string())?;
        let header = root.join("tests/adversary/guest.h");
        let header =
            std::fs::read_to_string(&header).map_err(|error| format!("{}: {error}", header.display()))?;
        Ok(Bench { target, architecture, everypath: everypath.to_owned(), executor, header, proofs: true })
    }

    /// Examines one program.
    ///
    /// # Errors
    /// If an executor or the command cannot be run.
    pub(super) fn examine(&self, program: &Program, level: &str, folder: &Path) -> Result<Outcome, String> {
        self.examine_with(program, level, folder, &EXPLORATIONS)
    }

    /// The same, with only these explorations.
    ///
    /// # Errors
    /// If an executor or the command cannot be run.
    pub(super) fn examine_with(
        &self,
        program: &Program,
        level: &str,
        folder: &Path,
        which: &[&'static str],
    ) -> Result<Outcome, String> {
        let clock = std::time::Instant::now();
        let program = &program.trimmed();
        let built = match build(&self.target, level, program, folder) {
            Ok(built) => built,
            Err(why) => return Ok(Outcome::Skipped(format!("compiler: {why}"))),
        };
        let compiled = clock.elapsed().as_secs_f64();
        let subject = self.subject(&built)?;
        let truth = match self.truth(program, &built, &subject) {
            Ok(truth) => truth,
            Err(NoTruth::Unsuited(why)) => return Ok(Outcome::Skipped(why)),
            Err(NoTruth::Differs(why)) => {
                let mut report = Report::default();
                report.comparison.add("executors-differ", why);
                return Ok(Outcome::Compared(report));
            }
            Err(NoTruth::Broken(why)) => return Err(why),
        };
        let ran = clock.elapsed().as_secs_f64();
        let mut report = Report { inputs: truth.runs.len() as u64, ..Report::default() };
        let mut paths: Vec<u64> = truth.runs.iter().map(|run| run.path).collect();
        paths.sort_unstable();
        paths.dedup();
        report.paths = paths.len() as u64;
        report.confirmed = truth.confirmed;
        let entry = subject.guest.entry(&subject.configuration).map_err(|error| error.to_string())?;
        let mut state = subject.guest.state(&subject.configuration).map_err(|error| error.to_string())?;
        let memory = state.memory(subject.guest.code_space()).ok_or("the code space is not memory")?;
        let mut shapes = Shapes::new(&self.architecture, memory, entry.context);
        let case = Case { truth: &truth, domain: &program.domain, faulty: program.faulty };
        for (criterion, setting) in explorations(which, self.proofs) {
            let claim = explore(&self.everypath, &built, criterion, setting)?;
            let found = compare(&claim, &case, &mut shapes);
            report.comparison.directions += found.directions;
            for wrong in found.wrong {
                report.comparison.add(wrong.kind, wrong.what);
            }
            report.complete = claim.summary.as_ref().is_some_and(|summary| summary.complete);
        }
        let int = self.target.compiler.int;
        if which.contains(&"function")
            && let Some(called) = busiest(program, &built, &truth, (&self.architecture, int))
        {
            let found = called.check(&self.everypath, &built.file, folder, &truth, &mut shapes)?;
            (report.function_directions, report.function_claims) = (found.directions, found.claims);
            found.wrong.into_iter().for_each(|wrong| report.comparison.add(wrong.kind, wrong.what));
            report.called = Some(called);
        }
        if program.tampered {
            super::tamper::check(&self.everypath, &built, &mut report.comparison)?;
        }
        report.seconds = [compiled, ran - compiled, clock.elapsed().as_secs_f64() - ran];
        report.truth = truth;
        Ok(Outcome::Compared(report))
    }

    fn subject(&self, built: &Built) -> Result<Subject, String> {
        let files = guests::Built { file: built.file.clone(), configuration: built.configuration.clone() };
        Subject::with_architecture(&files, self.architecture.clone(), "")
    }

    fn truth(&self, program: &Program, built: &Built, subject: &Subject) -> Result<Truth, NoTruth> {
        match self.target.description.executor {
            Kind::Emulator | Kind::Simulator => {
                emulator::run(&self.target, &self.architecture, &self.executor, program, built)
            }
            Kind::Machine => machine::run(subject, program, &mut |_| ()),
            Kind::Console => self.confirmed(program, built, subject),
        }
    }

    /// Our machine's runs, confirmed by a simulator where it can run the program.
    fn confirmed(&self, program: &Program, built: &Built, subject: &Subject) -> Result<Truth, NoTruth> {
        let main = built.symbols.get("main").copied().unwrap_or(0);
        let mut all: Vec<Vec<u64>> = Vec::new();
        let mut truth = machine::run(subject, program, &mut |trace| all.push(trace.to_vec()))?;
        if !console::can_run(program) {
            return Ok(truth);
        }
        let problem = |error: everypath_environment::GuestError| error.to_string();
        let mut state = subject.guest.state(&subject.configuration).map_err(problem)?;
        let entry = subject.guest.entry(&subject.configuration).map_err(problem)?;
        let memory = state.memory(subject.guest.code_space()).ok_or_else(|| "no code".to_owned())?;
        let mut shapes = Shapes::new(&self.architecture, memory, entry.context);
        let mut starts = BTreeSet::new();
        for trace in &mut all {
            let start = trace.iter().position(|address| *address == main).unwrap_or(0);
            trace.drain(..=start);
            let leaving =
                trace.windows(2).filter(|pair| shapes.at(pair[0]).is_some_and(|shape| shape.leaves));
            starts.extend(leaving.map(|pair| pair[1]));
        }
        for trace in &mut all {
            trace.retain(|address| starts.contains(address));
        }
        truth.confirmed = console::confirm(&self.target.description.command, program, built, &all)?;
        Ok(truth)
    }
}
