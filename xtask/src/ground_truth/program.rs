//! The programs that are compared: small ones that are compiled here, and any other that is given.

use super::{Figures, Truth, measure};
use everypath_analyze::{Graph, Program, Settings};
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What is compared.
#[derive(Clone, Debug)]
pub struct Options {
    /// Programs with symbols, besides those of the list.
    pub files: Vec<PathBuf>,
    /// What stands before the names of their tools, such as that of a cross compiler.
    pub prefix: String,
    /// Whether everything that differs is printed.
    pub remarks: bool,
}

#[derive(Deserialize)]
struct List {
    target: Vec<Target>,
}

/// A compiler of tests/ground-truth/list.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    prefix: String,
    package: String,
    flags: Vec<Vec<String>>,
    /// The least share of functions that must be found, in thousandths.
    functions: usize,
    /// How many instructions may begin where none does.
    boundaries: usize,
    /// The least share of jumps that must have targets, in thousandths.
    jumps: usize,
}

/// Compares the programs of the list, or those that are given.
///
/// # Errors
/// If a tool is missing or a program cannot be read.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    println!(
        "program | functions found | none | instructions, wrong | missed | jumps, with targets, saturated, wrong | blocks | seconds"
    );
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    if !options.files.is_empty() {
        for file in &options.files {
            compare(file, &options.prefix, folder.path(), options.remarks)?;
        }
        return Ok(true);
    }
    let list = root.join("tests/ground-truth/list.toml");
    let text = std::fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let list: List = toml::from_str(&text).map_err(|error| format!("{}: {error}", list.display()))?;
    let mut holds = true;
    for target in &list.target {
        for (number, flags) in target.flags.iter().enumerate() {
            let file = folder.path().join(format!("{}{number}", target.prefix));
            let compiler = format!("{}gcc", target.prefix);
            let mut command = Command::new(&compiler);
            command.args(flags).arg("-o").arg(&file).arg(root.join("tests/ground-truth/switches.c"));
            let run = command.output().map_err(|error| {
                format!("{compiler}: {error}; the Debian package {} has it", target.package)
            })?;
            if !run.status.success() {
                return Err(format!("{compiler}: {}", String::from_utf8_lossy(&run.stderr)));
            }
            let figures = compare(&file, &target.prefix, folder.path(), options.remarks)?;
            let Figures { functions, instructions, jumps, .. } = figures;
            let good = functions.1 * 1000 >= functions.0 * target.functions
                && instructions.1 <= target.boundaries
                && jumps.1 * 1000 >= jumps.0 * target.jumps;
            if !good {
                println!("  less than tests/ground-truth/list.toml asks for");
            }
            holds &= good;
        }
    }
    Ok(holds)
}

fn compare(file: &Path, prefix: &str, folder: &Path, remarks: bool) -> Result<Figures, String> {
    let stripped = folder.join("stripped");
    let strip = format!("{prefix}strip");
    let run = Command::new(&strip).args(["--strip-all", "-o"]).args([&stripped, file]).status();
    let run = run.map_err(|error| format!("{strip}: {error}"))?;
    if !run.success() {
        return Err(format!("{strip} fails on {}", file.display()));
    }
    let read = |file: &Path| {
        let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        Image::read(bytes, &ReadOptions::default()).map_err(|error| format!("{}: {error}", file.display()))
    };
    let (named, image) = (read(file)?, read(&stripped)?);
    let truth = Truth::new(&named, file, &format!("{prefix}objdump"))?;
    let library = Library::built_in();
    let machine = image.machine().ok_or("the file does not name its processor")?;
    let name = library.detect(machine).ok_or("no architecture is for this file")?;
    let architecture = library.load(name).map_err(|error| error.to_string())?;
    let program = Program::new(architecture, &image).ok_or("the architecture has no code")?;
    let start = Instant::now();
    let graph = Graph::recover(&program, Settings::default());
    let seconds = start.elapsed().as_secs_f64();
    let figures = measure(&graph, &truth);
    let Figures { functions, extra, instructions, missed, jumps, wrong_jumps, .. } = &figures;
    println!(
        "{} | {} of {} ({:.2} %) | {extra} | {}, {} | {missed} | {}, {}, {}, {wrong_jumps} | {} | {seconds:.1}",
        file.file_name().unwrap_or_default().display(),
        functions.1,
        functions.0,
        100.0 * functions.1 as f64 / functions.0.max(1) as f64,
        instructions.0,
        instructions.1,
        jumps.0,
        jumps.1,
        jumps.2,
        graph.len(),
    );
    if remarks {
        for remark in &figures.remarks {
            println!("  {remark}");
        }
    }
    Ok(figures)
}
