//! The scoreboard of real C modules: parsers and decoders from Debian source packages, explored at growing input lengths.

mod gcov;
mod growth;
mod guest;
mod list;
mod print;
mod row;

use list::{ModuleEntry, ModuleList, ModuleTarget};
use row::{Row, RowEnd};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The modules, targets and input lengths to measure, and the settings of their explorations.
pub struct ModuleOptions {
    /// The folder of unpacked source packages.
    pub sources: PathBuf,
    /// Only this module.
    pub module: Option<String>,
    /// Only this target.
    pub target: Option<String>,
    /// The numbers of input bytes.
    pub bytes: Vec<u32>,
    /// Time limit of one exploration in seconds.
    pub seconds: u64,
    /// The search strategy.
    pub strategy: String,
    /// Whether proofs by abstraction are tried.
    pub prove: bool,
    /// Whether the rows are printed as a Markdown table.
    pub table: bool,
    /// Whether this process measures one row and prints it as JSON.
    pub alone: bool,
}

impl ModuleOptions {
    fn is_wanted(&self, module: &ModuleEntry, target: &ModuleTarget) -> bool {
        let is = |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
        is(&self.module, &module.name) && is(&self.target, &target.name)
    }
}

/// Explores the modules and prints a row for each target and number of bytes; returns whether all could be measured and
/// no test diverged. Each row has its own process, so that CPU time and peak memory are its own.
///
/// # Errors
/// If the list cannot be read, or the name of a module or target is unknown.
pub fn modules(root: &Path, options: &ModuleOptions) -> Result<bool, String> {
    let list = ModuleList::read(root)?;
    list.check_names(options.module.as_deref(), options.target.as_deref())?;
    if options.alone {
        let (Some(module), Some(target), [bytes]) = (
            list.modules.iter().find(|module| options.module.as_ref() == Some(&module.name)),
            list.targets.iter().find(|target| options.target.as_ref() == Some(&target.name)),
            &options.bytes[..],
        ) else {
            return Err("--alone needs one module, one target and one number of bytes".to_owned());
        };
        let row = row::measure(root, options, module, target, *bytes)?;
        println!("{}", serde_json::to_string(&row).map_err(|error| error.to_string())?);
        return Ok(true);
    }
    let mut good = true;
    let mut missing = Vec::new();
    print::header(options.table);
    for module in &list.modules {
        for target in list.targets.iter().filter(|target| options.is_wanted(module, target)) {
            if module.folder(&options.sources).is_err() {
                missing.push(module.package.as_str());
                continue;
            }
            let mut costs = Vec::new();
            for bytes in &options.bytes {
                match in_a_process(options, module, target, *bytes) {
                    Ok(row) => {
                        print::row(module, target, *bytes, &row, options.table);
                        good &= row.divergences == 0 && row.native.is_some();
                        costs.push((*bytes, row.cpu, row.end != RowEnd::TimeLimit));
                    }
                    Err(error) => {
                        eprintln!("{} for {} with {bytes} bytes: {}", module.name, target.name, error.trim());
                        good = false;
                    }
                }
            }
            print::growth(&growth::exponents(&costs), options.table);
        }
    }
    missing.dedup();
    if !missing.is_empty() {
        let sources = options.sources.display();
        eprintln!("missing in {sources}; to unpack the packages there: apt-get source {}", missing.join(" "));
    }
    Ok(good && missing.is_empty())
}

/// Measures a row in a child process, which is killed if it ignores the time limit.
fn in_a_process(
    options: &ModuleOptions,
    module: &ModuleEntry,
    target: &ModuleTarget,
    bytes: u32,
) -> Result<Row, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (output, errors) = (folder.path().join("output"), folder.path().join("errors"));
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let create = |path: &Path| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
    let mut child = Command::new(program)
        .args(["bench", "modules", "--alone", "--module", &module.name, "--target", &target.name])
        .args(["--bytes", &bytes.to_string(), "--seconds", &options.seconds.to_string()])
        .args(["--strategy", &options.strategy])
        .args(options.prove.then_some("--prove"))
        .arg("--sources")
        .arg(&options.sources)
        .stdout(create(&output)?)
        .stderr(create(&errors)?)
        .spawn()
        .map_err(|error| error.to_string())?;
    // Compiling, the result of the exploration and the native runs take time beyond the limit.
    let end = Instant::now() + Duration::from_secs(2 * options.seconds + 120);
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if Instant::now() > end {
            child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
            return Err(format!("killed: it ignored the time limit of {} s", options.seconds));
        }
        sleep(Duration::from_millis(20));
    }
    let text = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str(&text(&output)).map_err(|_| text(&errors))
}
