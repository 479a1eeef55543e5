//! Runs the reference over any amount of input and recovers from its crashes.

use super::child::{End, run};
use super::{
    ReferenceAnswer, ReferenceError, ReferenceOutcome, ReferenceSetup, ReferenceSweep, Request, Words, Work,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// The timeout for a child that writes nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// The reference decoder for one processor.
///
/// ```no_run
/// use everypath_testkit::reference::{Reference, ReferenceSetup, ReferenceSweep};
///
/// let setup = ReferenceSetup::new(&std::fs::read("x86-64.sla")?, &std::fs::read_to_string("x86-64.pspec")?);
/// let reference = Reference::new("target/debug/sleigh-reference", &setup)?;
/// reference.sweep(&[0x55, 0xc3], ReferenceSweep { base: 0x1000, step: 1 }, &mut |answer| {
///     println!("{answer:?}");
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reference {
    program: PathBuf,
    arguments: Vec<String>,
    folder: TempDir,
    template: Request,
    patience: Duration,
}

impl Reference {
    /// A reference that runs the program `sleigh-reference` at this path.
    pub fn new(program: impl AsRef<Path>, setup: &ReferenceSetup) -> Result<Self, ReferenceError> {
        let folder = TempDir::with_prefix("sleigh-reference-")?;
        let sla = folder.path().join("specification.sla");
        std::fs::write(&sla, &setup.sla)?;
        let pspec = match &setup.pspec {
            Some(text) => {
                let file = folder.path().join("processor.pspec");
                std::fs::write(&file, text)?;
                Some(file)
            }
            None => None,
        };
        let template = Request {
            sla,
            pspec,
            code_space: setup.code_space.clone(),
            context: setup.context.clone(),
            anchor: setup.anchor,
            with_text: setup.with_text,
            timed: false,
            input: PathBuf::new(),
            work: Work::Sweep(ReferenceSweep { base: 0, step: 1 }),
            start: 0,
            limit: u64::MAX,
        };
        let program = program.as_ref().to_owned();
        Ok(Self { program, arguments: Vec::new(), folder, template, patience: PATIENCE })
    }

    /// The same with arguments for the program, for one that does more than answer requests.
    #[must_use]
    pub fn with_arguments(self, arguments: &[&str]) -> Self {
        Self { arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(), ..self }
    }

    /// The same with another timeout for a child that writes nothing.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Decodes code from front to back, one answer for each instruction and each failure, in the order of
    /// addresses.
    pub fn sweep(
        &self,
        bytes: &[u8],
        sweep: ReferenceSweep,
        deliver: &mut dyn FnMut(ReferenceAnswer),
    ) -> Result<(), ReferenceError> {
        let end = sweep.base + bytes.len() as u64;
        self.all(bytes, Work::Sweep(sweep), sweep.base, end, deliver)
    }

    /// Decodes unrelated records: one answer for each, in their order.
    ///
    /// # Panics
    /// If `records` is not a whole number of records.
    pub fn words(
        &self,
        records: &[u8],
        words: Words,
        deliver: &mut dyn FnMut(ReferenceAnswer),
    ) -> Result<(), ReferenceError> {
        let length = records.len() as u64;
        assert!(length.is_multiple_of(words.size), "{length} bytes are no whole number of records");
        self.all(records, Work::Words(words), 0, length / words.size, deliver)
    }

    /// Measures the decoding of code from front to back, without start-up and output.
    pub fn time(&self, bytes: &[u8], sweep: ReferenceSweep) -> Result<Timing, ReferenceError> {
        let input = tempfile::NamedTempFile::new_in(self.folder.path())?;
        std::fs::write(input.path(), bytes)?;
        let request = Request {
            input: input.path().to_owned(),
            work: Work::Sweep(sweep),
            start: sweep.base,
            timed: true,
            ..self.template.clone()
        };
        let mut timing = None;
        let mut command = self.command();
        run(&mut command, &request, self.patience, &mut |line| {
            timing = Timing::read_line(line);
            timing.is_some()
        })?;
        timing.ok_or_else(|| ReferenceError::Answer("no measurement".to_owned()))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }

    /// Runs children until the cursor (address or index) reaches `end`.
    fn all(
        &self,
        bytes: &[u8],
        work: Work,
        start: u64,
        end: u64,
        deliver: &mut dyn FnMut(ReferenceAnswer),
    ) -> Result<(), ReferenceError> {
        let input = tempfile::NamedTempFile::new_in(self.folder.path())?;
        std::fs::write(input.path(), bytes)?;
        let template = Request { input: input.path().to_owned(), work, ..self.template.clone() };
        let mut progress = Progress { work, cursor: start, deliver };
        while progress.cursor < end {
            let begin = progress.cursor;
            let limit = limit(work, begin, end);
            if self.part(&template, limit, &mut progress)? == End::Complete {
                if progress.cursor == begin {
                    return Err(ReferenceError::Answer("none at all".to_owned()));
                }
                continue;
            }
            if progress.cursor >= end {
                break;
            }
            // An earlier instruction may have corrupted memory: only one that crashes a new child alone, before its
            // answer, is to blame.
            let suspect = progress.cursor;
            self.part(&template, 1, &mut progress)?;
            if progress.cursor == suspect {
                progress.crashed();
            }
        }
        Ok(())
    }

    fn part(
        &self,
        template: &Request,
        limit: u64,
        progress: &mut Progress<'_>,
    ) -> Result<End, ReferenceError> {
        let request = Request { limit, start: progress.cursor, ..template.clone() };
        let mut fresh = true;
        run(&mut self.command(), &request, self.patience, &mut |line| {
            let Some((address, outcome)) = ReferenceOutcome::read_line(line) else { return false };
            progress.answered(ReferenceAnswer { address, fresh, outcome });
            fresh = false;
            true
        })
    }
}

/// A measurement of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The number of decoded instructions.
    pub instructions: u64,
    /// The time it took.
    pub time: Duration,
}

impl Timing {
    /// Reads the line `timed instructions nanoseconds`.
    fn read_line(line: &str) -> Option<Self> {
        let (instructions, nanoseconds) = line.strip_prefix("timed ")?.split_once(' ')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        Some(Self { instructions: number(instructions)?, time: Duration::from_nanos(number(nanoseconds)?) })
    }
}

/// The number of answers that one child may give from the cursor on: records that share an instance, or the whole
/// sweep.
fn limit(work: Work, cursor: u64, end: u64) -> u64 {
    match work {
        Work::Sweep(_) => u64::MAX,
        Work::Words(words) => words.end_of_slots(cursor).min(end) - cursor,
    }
}

struct Progress<'a> {
    work: Work,
    /// Address or index of the next answer.
    cursor: u64,
    deliver: &'a mut dyn FnMut(ReferenceAnswer),
}

impl Progress<'_> {
    fn answered(&mut self, answer: ReferenceAnswer) {
        self.cursor = match (&self.work, &answer.outcome) {
            (Work::Words(_), _) => self.cursor + 1,
            (Work::Sweep(_), ReferenceOutcome::Decoded { length, .. }) => answer.address + length,
            (Work::Sweep(sweep), _) => answer.address + sweep.step,
        };
        (self.deliver)(answer);
    }

    fn crashed(&mut self) {
        let address = match self.work {
            Work::Sweep(_) => self.cursor,
            Work::Words(words) => words.address(self.cursor),
        };
        self.answered(ReferenceAnswer { address, fresh: true, outcome: ReferenceOutcome::Crashed });
    }
}
