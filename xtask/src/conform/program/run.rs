//! Runs all targets, levels, guests and inputs, and prints the table.

use super::build::{Program, compile};
use super::compare::{compare, first_difference};
use super::list::{Guest, List, Target};
use super::ours::Ready;
use super::reset;
use super::shape::Shapes;
use super::theirs::{self, Task};
use crate::conform::architecture::program_file;
use crate::conform::description::Description;
use crate::conform::executor::{Executor, Request, open};
use crate::conform::layout::Layout;
use crate::conform::registers::Registers;
use crate::conform::run::Options;
use everypath_ir::SpaceId;
use everypath_lift::{Architecture, Library};
use everypath_testkit::random::Random;
use object::{Object, ObjectSegment, SegmentFlags, elf};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The counts for one target at one level.
#[derive(Default)]
struct Row {
    programs: u64,
    runs: u64,
    instructions: u64,
    differences: Vec<String>,
}

/// Compares and prints the table; returns whether all runs agreed.
///
/// # Errors
/// If the list is wrong, a guest cannot be compiled, or an executor cannot be run.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let list = List::read(root)?;
    let wanted = |name: &String| options.architectures.is_empty() || options.architectures.contains(name);
    let is_target = |name: &&String| list.targets.iter().any(|target| target.name == **name);
    if let Some(missing) = options.architectures.iter().find(|name| !is_target(name)) {
        return Err(format!("no target in tests/conform/programs/list.toml is for `{missing}`"));
    }
    println!(
        "{:<10} {:<6} {:>8} {:>6} {:>12} {:>11} {:>8}",
        "target", "level", "programs", "runs", "instructions", "differences", "seconds"
    );
    let mut good = true;
    for target in list.targets.iter().filter(|target| wanted(&target.name)) {
        let side = Side::new(root, target).map_err(|error| format!("{}: {error}", target.name))?;
        for level in &list.levels {
            let start = Instant::now();
            let mut row = Row::default();
            for guest in &list.guests {
                let program = compile(root, &list, target, guest, level)
                    .map_err(|error| format!("{}: {error}", target.name))?;
                // Each guest has its own random sequence, so that omitting one does not change another.
                let mut random = Random::new(options.seed);
                row.programs += 1;
                for input in guest.inputs(&mut random, options.cut)? {
                    side.compare(&program, guest, &input, &mut row)
                        .map_err(|error| format!("{} {level} {}: {error}", target.name, guest.name))?;
                }
            }
            let Row { programs, runs, instructions, differences } = row;
            let (name, count, seconds) = (&target.name, differences.len(), start.elapsed().as_secs_f64());
            println!(
                "{name:<10} {level:<6} {programs:>8} {runs:>6} {instructions:>12} {count:>11} {seconds:>8.1}"
            );
            for difference in &differences {
                println!("    {difference}");
            }
            good &= differences.is_empty() && instructions > 0;
        }
    }
    Ok(good)
}

/// One target: its architecture and its executor.
struct Side {
    architecture: Arc<Architecture>,
    description: Description,
    /// The folder of the description.
    folder: PathBuf,
    registers: Registers,
    stack_pointer: usize,
    code_space: SpaceId,
    layout: Layout,
    /// The folder in which an executor is compiled once.
    workplace: tempfile::TempDir,
}

impl Side {
    fn new(root: &Path, target: &Target) -> Result<Self, String> {
        let file = root.join("tests/conform").join(&target.registers);
        let folder = file.parent().unwrap_or(root).to_owned();
        let description = Description::read(&file)?;
        let architecture =
            Library::built_in().load(&description.architecture).map_err(|error| error.to_string())?;
        let registers = Registers::new(&architecture, &description)?;
        let name = architecture.description().registers.stack_pointer.as_ref();
        let stack_pointer = registers.fields.iter().position(|field| Some(&field.name) == name);
        let stack_pointer = stack_pointer.ok_or("the stack pointer is not among the registers")?;
        let code_space = architecture.spaces().get(architecture.specification().default_space());
        let code_space = code_space.ok_or("the architecture has no code space")?;
        let mut layout = Layout::new(&architecture, &description, &mut Random::new(0))?;
        layout.leave_out(&registers);
        let workplace = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Self {
            architecture,
            description,
            folder,
            registers,
            stack_pointer,
            code_space,
            layout,
            workplace,
        })
    }

    /// Runs a program with one input on both sides.
    fn compare(&self, program: &Program, guest: &Guest, input: &[u8], row: &mut Row) -> Result<(), String> {
        let file = program.with_input(input)?;
        let (_folder, path) = program_file(&file)?;
        let (done, _) = self.architecture.code_address(program.done);
        let ranges = written(&program.file)?;
        let (registers, stack_pointer) = (&self.registers, self.stack_pointer);
        let task = Task { registers, stack_pointer, done, space: self.code_space, ranges: &ranges };
        let theirs = self.theirs(&file, &path, &task)?;
        let ready = || Ready::new(self.architecture.clone(), file.clone(), registers, &theirs);
        let mut ours = ready()?;
        let mut shapes = Shapes::new(&self.architecture);
        let (end, instructions) = ours.run(done);
        let comparison = compare(&mut ours, &end, &instructions, &theirs, &mut shapes, registers);
        row.runs += 1;
        row.instructions += comparison.instructions;
        if !comparison.differences.is_empty() {
            // A run that ended early already names the instruction.
            let first = if comparison.ended {
                first_difference(&mut ready()?, self.start(&file, &path)?, &task, &mut shapes)?
            } else {
                None
            };
            let first = first.map_or_else(String::new, |first| format!("; first: {first}"));
            let input: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
            let input = input.trim_end_matches("00");
            let all = comparison.differences.join("; ");
            row.differences.push(format!("{} with {input}: {all}{first}", guest.name));
        }
        Ok(())
    }
}

impl Side {
    /// A whole run on the executor.
    fn theirs(&self, file: &[u8], path: &Path, task: &Task<'_>) -> Result<theirs::Run, String> {
        let choice = &self.description.executor;
        match &choice.source {
            Some(source) => {
                let (source, beside) = (self.folder.join(source), self.workplace.path().join("executor"));
                reset::run(&source, &choice.libraries, &beside, file, task, &self.layout)
            }
            None => theirs::run(choice, path, task),
        }
    }

    /// The executor at the start of a program, with its registers.
    fn start(&self, file: &[u8], path: &Path) -> Result<(Box<dyn Executor>, Vec<u8>), String> {
        let choice = &self.description.executor;
        let mut executor = open(choice, &self.folder, path, &self.registers, &self.layout)?;
        if choice.source.is_none() {
            let registers = executor.registers()?;
            return Ok((executor, registers));
        }
        let registers = reset::registers(file, &self.registers)?;
        // This only writes the program.
        let writes = reset::contents(file)?;
        executor.run(&Request {
            writes: &writes,
            registers: &registers,
            extra: &[],
            steps: 0,
            reads: &[],
        })?;
        Ok((executor, registers))
    }
}

/// The writable memory of the program.
fn written(file: &[u8]) -> Result<Vec<(u64, usize)>, String> {
    let parsed = object::File::parse(file).map_err(|error| error.to_string())?;
    let is_written = |flags: SegmentFlags| matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags.0 & elf::PF_W.0 != 0);
    let segments = parsed.segments().filter(|segment| is_written(segment.flags()));
    Ok(segments.map(|segment| (segment.address(), segment.size() as usize)).collect())
}
