//! The cost of the value-set analysis as a function of program size.

use super::memory::peak;
use everypath_analyze::{AnalysisOptions, Graph, Program, Settings, Trust, ValueSets};
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs of many sizes that most machines have; missing ones are skipped.
const PROGRAMS: [&str; 10] = [
    "/usr/bin/bc",
    "/usr/bin/sort",
    "/usr/bin/lua5.4",
    "/usr/bin/sqlite3",
    "/usr/bin/bash",
    "/usr/bin/busybox",
    "/usr/bin/perl",
    "/usr/bin/python3",
    "/usr/bin/gdb",
    "/usr/bin/gdb-multiarch",
];
/// The limits of the first one, in seconds and bytes.
const BAR: (f64, u64) = (60.0, 1 << 30);
/// The maximum exponent of n log n with which the cost grows; a little more than one, because programs differ in more
/// than size.
const GROWTH: f64 = 1.15;
/// The maximum ratio of the largest program's cost per n log n to the median one's.
const RATE: f64 = 1.2;

/// The measurements of one program.
struct Cost {
    instructions: u64,
    functions: u64,
    given_up: u64,
    graph: f64,
    values: f64,
    returns: f64,
    bytes: u64,
}

impl Cost {
    /// Nanoseconds per n log n, where n is the number of instructions.
    fn each(&self, seconds: f64) -> f64 {
        let count = self.instructions as f64;
        seconds * 1e9 / (count * count.log2())
    }
}

/// Measures and prints; returns whether the limits hold. Each program has its own process, so that its memory is known.
///
/// # Errors
/// If a program cannot be read.
pub fn values(files: &[PathBuf], alone: bool) -> Result<bool, String> {
    if alone {
        let [file] = files else { return Err("one program, please".to_owned()) };
        let cost = measure(file)?;
        let Cost { instructions, functions, given_up, graph, values, returns, bytes } = cost;
        println!("{instructions} {functions} {given_up} {graph} {values} {returns} {bytes}");
        return Ok(true);
    }
    let known = PROGRAMS.iter().map(PathBuf::from).chain(compiler());
    let known: Vec<PathBuf> = known.filter(|file| file.exists()).collect();
    let files = if files.is_empty() { &known } else { files };
    println!(
        "{:<24} {:>12} {:>9} {:>8} {:>8} {:>8} {:>8} {:>7} {:>12} {:>13}",
        "program",
        "instructions",
        "functions",
        "given up",
        "graph s",
        "values s",
        "exits s",
        "MB",
        "graph ns/nlb",
        "values ns/nlb"
    );
    let mut costs = Vec::new();
    for file in files {
        let cost = in_a_process(file)?;
        println!(
            "{:<24} {:>12} {:>9} {:>8} {:>8.2} {:>8.2} {:>8.2} {:>7} {:>12.0} {:>13.0}",
            file.file_name().unwrap_or_default().display().to_string(),
            cost.instructions,
            cost.functions,
            cost.given_up,
            cost.graph,
            cost.values,
            cost.returns,
            cost.bytes >> 20,
            cost.each(cost.graph),
            cost.each(cost.values)
        );
        costs.push(cost);
    }
    let cheap = costs.first().is_none_or(|first| first.values < BAR.0 && first.bytes < BAR.1);
    let power = power(&costs);
    let rate = rate(&costs);
    let holds = cheap && power.is_none_or(|power| power <= GROWTH) && rate.is_none_or(|rate| rate <= RATE);
    println!(
        "the first in under {} s and {} MB: {}; the cost grows as n log n to the power of {} (bar {GROWTH})",
        BAR.0,
        BAR.1 >> 20,
        if cheap { "yes" } else { "no" },
        power.map_or("?".to_owned(), |power| format!("{power:.2}"))
    );
    if let Some(rate) = rate {
        println!(
            "the largest takes {rate:.2} times as long as the median one for each of n log n (bar {RATE})"
        );
    }
    Ok(holds)
}

/// The host's C compiler proper, which is the largest of them.
fn compiler() -> Option<PathBuf> {
    let run = Command::new("gcc").arg("-print-prog-name=cc1").output().ok()?;
    Some(PathBuf::from(String::from_utf8_lossy(&run.stdout).trim()))
}

/// The ratio of the largest program's cost per n log n to the median one's; `None` if there are too few programs.
fn rate(costs: &[Cost]) -> Option<f64> {
    let mut rates: Vec<f64> = costs.iter().map(|cost| cost.each(cost.values)).collect();
    rates.sort_unstable_by(f64::total_cmp);
    let largest = costs.iter().max_by_key(|cost| cost.instructions)?;
    (costs.len() > 2).then(|| largest.each(largest.values) / rates[rates.len() / 2])
}

/// The exponent of n log n with which the cost grows, by least squares; `None` if there are too few programs.
fn power(costs: &[Cost]) -> Option<f64> {
    let point = |cost: &Cost| {
        let count = cost.instructions as f64;
        ((count * count.log2()).ln(), cost.values.ln())
    };
    let points: Vec<(f64, f64)> = costs.iter().map(point).collect();
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let common: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (points.len() > 2 && spread > 0.0).then(|| common / spread)
}

fn in_a_process(file: &Path) -> Result<Cost, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .args(["bench", "values", "--alone"])
        .arg(file)
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Option<Vec<f64>> = text.split_whitespace().map(|number| number.parse().ok()).collect();
    match numbers.as_deref() {
        Some([instructions, functions, given_up, graph, values, returns, bytes]) => Ok(Cost {
            instructions: *instructions as u64,
            functions: *functions as u64,
            given_up: *given_up as u64,
            graph: *graph,
            values: *values,
            returns: *returns,
            bytes: *bytes as u64,
        }),
        _ => Err(format!("{}: {text}{}", file.display(), String::from_utf8_lossy(&output.stderr))),
    }
}

fn measure(file: &Path) -> Result<Cost, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let image = Image::read(bytes, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let library = Library::built_in();
    let name = library.detect(&image).ok_or("no architecture is for this file")?;
    let architecture = library.load(name).map_err(|error| error.to_string())?;
    let program = Program::new(architecture, &image).ok_or("no code")?;
    let start = processor_seconds()?;
    let mut graph = Graph::recover(&program, Settings::default());
    let recovered = processor_seconds()?;
    let values =
        ValueSets::analyse(&program, &graph, AnalysisOptions::new(&program, Trust::Convention), None);
    let analysed = processor_seconds()?;
    graph.take_values(&program, &values);
    Ok(Cost {
        instructions: graph.blocks().map(|block| graph.instructions(block).count() as u64).sum(),
        functions: graph.functions().len() as u64,
        given_up: values.given_up().len() as u64,
        graph: recovered - start,
        values: analysed - recovered,
        returns: processor_seconds()? - analysed,
        bytes: peak()?,
    })
}

/// The CPU time of this process, in seconds.
fn processor_seconds() -> Result<f64, String> {
    let text = std::fs::read_to_string("/proc/self/schedstat").map_err(|error| error.to_string())?;
    let nanoseconds = text.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.map(|nanoseconds| nanoseconds / 1e9).ok_or_else(|| "the system does not say it".to_owned())
}
