//! Compares all architectures one after the other, and prints the table.

use super::architecture::compare_architecture;
use super::description::Description;
use super::evidence;
use super::report::Report;
use std::path::Path;

/// Options of the comparison.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only these architectures, by the names of their files; all if empty.
    pub architectures: Vec<String>,
    /// At most twenty seconds for each.
    pub cut: bool,
    /// The number of cases.
    pub count: u64,
    /// The seed of all random choices.
    pub seed: u64,
    /// Whether the forms that are not covered are listed one by one.
    pub uncovered: bool,
    /// Whether the counts are recorded in `architectures/<name>/conformance.toml`.
    pub record: bool,
}

/// Compares and prints the table; returns whether every difference is explained.
///
/// # Errors
/// If a description is wrong, or an executor cannot be run.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let folder = root.join("tests/conform");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let wanted = options.architectures.is_empty() || options.architectures.contains(&name);
        if wanted && path.extension().is_some_and(|extension| extension == "toml") {
            files.push((name, path));
        }
    }
    files.sort();
    if let Some(missing) =
        options.architectures.iter().find(|wanted| !files.iter().any(|(name, _)| name == *wanted))
    {
        return Err(format!("there is no tests/conform/{missing}.toml"));
    }
    let mut lines = Vec::new();
    let mut runs = Vec::new();
    let mut good = true;
    for (name, file) in files {
        let description = Description::read(&file)?;
        let (report, details) = compare_architecture(&name, &description, &folder, options)
            .map_err(|error| format!("{name}: {error}"))?;
        println!("{name}\n{details}");
        if options.uncovered {
            println!("  Not covered, with how many instructions each:\n{}", report.uncovered());
        }
        good &= report.unexplained.is_empty() && report.compared > 0;
        lines.push(report.line());
        if options.record {
            runs.push((description.architecture.clone(), evidence::of(&description, &report, options.seed)?));
            // After each, because a later one may fail.
            evidence::record(root, &runs)?;
        }
    }
    println!("{}\n{}", Report::HEAD, lines.join("\n"));
    Ok(good)
}

#[cfg(test)]
mod tests {
    use super::super::registers::Registers;
    use super::*;
    use everypath_lift::Library;

    #[test]
    fn every_description_fits_its_architecture() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conform");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("the folder of descriptions") {
            let file = entry.expect("a file").path();
            if file.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            let description = Description::read(&file).expect("a description");
            let architecture = Library::built_in().load(&description.architecture).expect("an architecture");
            let registers = Registers::new(&architecture, &description).expect("registers that exist");
            let counter = &architecture.description().registers.program_counter;
            assert!(registers.fields.iter().any(|field| field.name == *counter), "{}", file.display());
            count += 1;
        }
        assert!(count > 0);
    }
}
