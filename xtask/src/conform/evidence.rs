//! Records the evidence for each mnemonic in `architectures/<name>/conformance.toml`: its vectors, and the comparisons of
//! `cargo xtask conform`.

use super::description::{Description, ExecutorChoice};
use super::report::Report;
use everypath_ir::Context;
use everypath_lift::{Architecture, CodeBytes, Conformance, ConformanceRun, Library, Lifter};
use everypath_record::mnemonic;
use everypath_sleigh::DecodingContext;
use everypath_testkit::vectors::{Vector, read_folder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The beginning of each file.
const HEAD: &str = "\
# Evidence for the semantics of instructions, by mnemonic: the number of vectors in tests/vectors, and of cases (an
# instruction in a random state) in which nothing differed from an independent executor.
# Written by `cargo xtask conform --record`.

";

/// The run of a comparison, as it is recorded.
///
/// # Errors
/// If a difference is unexplained: there is no evidence then.
pub(super) fn of(description: &Description, report: &Report, seed: u64) -> Result<ConformanceRun, String> {
    if !report.unexplained.is_empty() {
        return Err(format!("{}: differences are unexplained, so nothing is recorded", report.name));
    }
    let counts = |part: fn(&(u64, u64)) -> u64| -> BTreeMap<String, u64> {
        let counts = report.mnemonics.iter().map(|(name, counts)| (name.clone(), part(counts)));
        counts.filter(|(_, count)| *count > 0).collect()
    };
    Ok(ConformanceRun {
        name: report.name.clone(),
        executor: executor_name(&description.executor),
        seed,
        cases: report.compared,
        equal: counts(|counts| counts.0),
        explained: counts(|counts| counts.1),
    })
}

/// The executor with its version, in words.
fn executor_name(choice: &ExecutorChoice) -> String {
    let Some(command) = &choice.command else {
        return match &choice.source {
            Some(_) => choice.libraries.join(", "),
            None => "the processor of the host".to_owned(),
        };
    };
    let is_option_of_processor = choice.arguments.iter().any(|argument| argument == "-cpu");
    let arguments = if is_option_of_processor { choice.arguments.join(" ") } else { String::new() };
    let output = Command::new(command).arg("--version").output().ok();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    // The number behind the word, as in `qemu-arm version 7.2.22 (Debian 1:7.2+dfsg-7)`.
    let version = text.split_once("version ").and_then(|(_, rest)| rest.split_whitespace().next());
    let words = [command.as_str(), version.unwrap_or_default(), &arguments];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Writes the files of all architectures: vectors are counted anew, and these runs replace those of the same name.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn record(root: &Path, runs: &[(String, ConformanceRun)]) -> Result<(), String> {
    let library = Library::built_in();
    for (name, ..) in library.list() {
        let file = file_of(root, name);
        let mut conformance = read(&file)?;
        conformance.vectors = vector_counts(root, &library, name)?;
        for (_, run) in runs.iter().filter(|(architecture, _)| architecture == name) {
            conformance.comparisons.retain(|old| old.name != run.name);
            conformance.comparisons.push(run.clone());
        }
        conformance.comparisons.sort_by(|one, other| one.name.cmp(&other.name));
        let text = toml::to_string(&conformance).map_err(|error| error.to_string())?;
        let problem = |error: std::io::Error| format!("{}: {error}", file.display());
        std::fs::write(&file, format!("{HEAD}{text}")).map_err(problem)?;
        println!("{}", file.display());
    }
    Ok(())
}

/// Counts the vectors of all architectures anew, and compares nothing.
///
/// # Errors
/// If a file cannot be read or written.
pub fn record_vectors(root: &Path) -> Result<bool, String> {
    record(root, &[]).map(|()| true)
}

fn file_of(root: &Path, architecture: &str) -> PathBuf {
    root.join("architectures").join(architecture).join("conformance.toml")
}

fn read(file: &Path) -> Result<Conformance, String> {
    match std::fs::read_to_string(file) {
        Ok(text) => Conformance::parse(&text).map_err(|error| format!("{}: {error}", file.display())),
        Err(_) => Ok(Conformance::default()),
    }
}

/// The number of vectors of each mnemonic.
fn vector_counts(root: &Path, library: &Library, name: &str) -> Result<BTreeMap<String, u64>, String> {
    let architecture = library.load(name).map_err(|error| error.to_string())?;
    let vectors = read_folder(&root.join("tests/vectors").join(name)).map_err(|error| error.to_string())?;
    let lifter = Lifter::new(architecture.clone());
    let mut session = lifter.session();
    let mut counts = BTreeMap::new();
    for vector in vectors.iter().filter(|vector| !vector.bad) {
        let (address, context) = start(&architecture, vector)?;
        // Behind the instruction, as in the runs of vectors, are zeros: some decoders look ahead.
        let bytes = [vector.bytes.as_slice(), &[0; 16]].concat();
        let code = CodeBytes { address, bytes: &bytes };
        let decoded = session.decode(&code, address, context);
        let text = decoded.map_err(|bad| format!("{}:{}: {bad}", vector.file, vector.line))?.text();
        *counts.entry(mnemonic(&text).to_owned()).or_default() += 1;
    }
    Ok(counts)
}

/// Where the instruction of a vector is, and its decoding context.
fn start(architecture: &Architecture, vector: &Vector) -> Result<(u64, Context), String> {
    let (address, context) = architecture.code_address(vector.address);
    let mut context = DecodingContext(context.0);
    for (field, value) in &vector.context {
        let set = architecture.specification().set_context_field(&mut context, field, u128::from(*value));
        set.map_err(|error| error.to_string())?;
    }
    Ok((address, Context(context.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorded_numbers_of_vectors_are_those_of_the_files() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let library = Library::built_in();
        for (name, ..) in library.list() {
            let recorded = read(&file_of(&root, name)).expect("a file that can be parsed").vectors;
            let counted = vector_counts(&root, &library, name).expect("vectors that decode");
            assert_eq!(recorded, counted, "run `cargo xtask conform --record --vectors`");
        }
    }

    #[test]
    fn recorded_comparisons_have_a_description() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (name, ..) in Library::built_in().list() {
            for run in read(&file_of(&root, name)).expect("a file that can be parsed").comparisons {
                let file = root.join("tests/conform").join(format!("{}.toml", run.name));
                let description = Description::read(&file).expect("a description");
                assert_eq!(description.architecture, name);
                let sum: u64 = run.equal.values().chain(run.explained.values()).sum();
                assert_eq!(sum, run.cases, "{name}, {}", run.name);
            }
        }
    }
}
