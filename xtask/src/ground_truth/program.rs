//! The compared programs: small ones that are compiled here, and others given by the user.

use super::measure::{COLUMNS, Figures, measure};
use super::recovered::Recovered;
use super::tables::Inline;
use super::truth::{Habits, Truth};
use everypath_analyze::{Graph, Program, Settings};
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Options of the comparison.
#[derive(Clone, Debug)]
pub struct Options {
    /// Programs with symbols, in place of those of the list.
    pub files: Vec<PathBuf>,
    /// The prefix of the names of their tools, such as that of a cross compiler.
    pub prefix: String,
    /// Whether every difference is printed.
    pub remarks: bool,
    /// Only the first program of the targets that are for every change.
    pub cut: bool,
    /// A Python with angr, which is compared, too.
    pub python: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    unwinding: Vec<String>,
    target: Vec<Target>,
}

/// A compiler of tests/ground-truth/list.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    prefix: String,
    package: String,
    flags: Vec<Vec<String>>,
    /// Whether it is compared at every change.
    #[serde(default)]
    cut: bool,
    /// Instructions that are followed by their jump table.
    #[serde(default)]
    inline: Vec<Inline>,
    /// Words by which the disassembler names the address of a table among instructions.
    #[serde(default)]
    near: Vec<String>,
    /// The least share of functions that must be found, in thousandths.
    functions: usize,
    /// The maximum number of instructions that begin where none does.
    boundaries: usize,
    /// The least share of switches whose table must be resolved, in thousandths.
    switches: usize,
}

/// Compares the programs of the list, or those that are given.
///
/// # Errors
/// If a tool is missing or a program cannot be read.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let list = root.join("tests/ground-truth/list.toml");
    let text = std::fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let list: List = toml::from_str(&text).map_err(|error| format!("{}: {error}", list.display()))?;
    println!("program | {COLUMNS} | seconds");
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let comparison = Comparison { root, folder: folder.path(), list: &list, options };
    let mut holds = true;
    for file in &options.files {
        comparison.compare(file, &options.prefix)?;
    }
    let is_asked = |target: &&Target| options.files.is_empty() && (target.cut || !options.cut);
    for target in list.target.iter().filter(is_asked) {
        let count = if options.cut { 1 } else { target.flags.len() };
        for (number, flags) in target.flags.iter().take(count).enumerate() {
            let file = folder.path().join(format!("{}{number}", target.prefix));
            comparison.compile(target, flags, &file)?;
            let figures = comparison.compare(&file, &target.prefix)?;
            let Figures { functions, instructions, switches, .. } = figures;
            let good = functions.1 * 1000 >= functions.0 * target.functions
                && instructions.1 <= target.boundaries
                && switches.1 * 1000 >= switches.0 * target.switches;
            if !good {
                println!("  less than tests/ground-truth/list.toml asks for");
            }
            holds &= good;
        }
    }
    Ok(holds)
}

struct Comparison<'a> {
    root: &'a Path,
    folder: &'a Path,
    list: &'a List,
    options: &'a Options,
}

impl Comparison<'_> {
    fn compile(&self, target: &Target, flags: &[String], file: &Path) -> Result<(), String> {
        let compiler = format!("{}gcc", target.prefix);
        let mut command = Command::new(&compiler);
        command.args(flags).arg("-o").arg(file).arg(self.root.join("tests/ground-truth/switches.c"));
        let run = command
            .output()
            .map_err(|error| format!("{compiler}: {error}; the Debian package {} has it", target.package))?;
        if !run.status.success() {
            return Err(format!("{compiler}: {}", String::from_utf8_lossy(&run.stderr)));
        }
        Ok(())
    }

    fn compare(&self, file: &Path, prefix: &str) -> Result<Figures, String> {
        let stripped = self.folder.join("stripped");
        let strip = format!("{prefix}strip");
        let run = Command::new(&strip).args(["--strip-all", "-o"]).args([&stripped, file]).status();
        let run = run.map_err(|error| format!("{strip}: {error}"))?;
        if !run.success() {
            return Err(format!("{strip} fails on {}", file.display()));
        }
        let (named, image) = (read(file)?, read(&stripped)?);
        let target = self.list.target.iter().find(|target| target.prefix == prefix);
        let inline = target.map_or(Vec::new(), |target| target.inline.clone());
        let near = target.map_or(Vec::new(), |target| target.near.clone());
        let habits = Habits { inline, near, unwinding: self.list.unwinding.clone() };
        let truth = Truth::new(&named, file, &format!("{prefix}objdump"), &habits)?;
        let name = file.file_name().unwrap_or_default().display().to_string();
        let ours = recover(&image)?;
        let figures = self.print(&name, &ours, &truth);
        if let Some(python) = &self.options.python {
            self.print(&format!("{name}, angr"), &Recovered::by_angr(self.root, python, &stripped)?, &truth);
        }
        Ok(figures)
    }

    fn print(&self, name: &str, recovered: &Recovered, truth: &Truth) -> Figures {
        let figures = measure(recovered, truth);
        println!("{name} | {figures} | {:.1}", recovered.seconds);
        if self.options.remarks {
            for remark in &figures.remarks {
                println!("  {remark}");
            }
        }
        figures
    }
}

fn read(file: &Path) -> Result<Image, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Image::read(bytes, &ReadOptions::default()).map_err(|error| format!("{}: {error}", file.display()))
}

/// Recovers the graph of a program.
fn recover(image: &Image) -> Result<Recovered, String> {
    let library = Library::built_in();
    let name = library.detect(image).ok_or("no architecture is for this file")?;
    let architecture = library.load(name).map_err(|error| error.to_string())?;
    let program = Program::new(architecture, image).ok_or("the architecture has no code")?;
    let start = Instant::now();
    let graph = Graph::recover(&program, Settings::default());
    Ok(Recovered::of(&graph, start.elapsed().as_secs_f64()))
}
