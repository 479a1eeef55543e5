//! The Debian package: the stripped command with its manual pages and completions, built by `dpkg-deb`, and tried in a clean system.

use crate::command::given_or_built;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The options of a build of the package.
pub struct Options {
    /// The command to pack; built in release mode if it is not given.
    pub everypath: Option<PathBuf>,
    /// The folder for the package.
    pub output: PathBuf,
    /// Whether to install it in a clean system (`debootstrap`, as root) and to generate a suite there.
    pub check: bool,
}

/// The shell script that tries the installed command: it generates, replays and reports a suite.
const CHECK: &str = include_str!("../../tests/dist/first-suite.sh");

/// Builds the package.
///
/// # Errors
/// If a program fails, or the package does not work.
pub fn run(root: &Path, options: &Options) -> Result<(), String> {
    let everypath = given_or_built(options.everypath.as_deref(), root)?;
    let tree = options.output.join("everypath");
    let _ = fs::remove_dir_all(&tree);
    let bin = folder(&tree, "usr/bin")?;
    let packed = bin.join("everypath");
    copy(&everypath, &packed)?;
    call(Command::new("strip").arg(&packed))?;
    call(Command::new(&packed).arg("manual").arg(folder(&tree, "usr/share/man/man1")?))?;
    let pages = fs::read_dir(tree.join("usr/share/man/man1")).map_err(|error| error.to_string())?;
    let pages: Vec<PathBuf> = pages.filter_map(|page| Some(page.ok()?.path())).collect();
    call(Command::new("gzip").args(["-9", "-n", "-f"]).args(pages))?;
    let completions = [
        ("bash", "usr/share/bash-completion/completions", "everypath"),
        ("zsh", "usr/share/zsh/vendor-completions", "_everypath"),
        ("fish", "usr/share/fish/vendor_completions.d", "everypath.fish"),
    ];
    for (shell, place, name) in completions {
        let text = output(Command::new(&packed).args(["completions", shell]))?;
        write(&folder(&tree, place)?.join(name), &text)?;
    }
    let documents = folder(&tree, "usr/share/doc/everypath")?;
    let licenses = ["LICENSE-MIT", "LICENSE-APACHE"].map(|name| fs::read_to_string(root.join(name)));
    let licenses: Vec<String> =
        licenses.into_iter().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    write(&documents.join("copyright"), &licenses.join("\n"))?;
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned();
    let version = env!("CARGO_PKG_VERSION");
    write(&folder(&tree, "DEBIAN")?.join("control"), &control(version, &architecture))?;
    let package = options.output.join(format!("everypath_{version}_{architecture}.deb"));
    call(Command::new("dpkg-deb").args(["--root-owner-group", "--build"]).arg(&tree).arg(&package))?;
    println!("{}: {} MB, {} MB installed", package.display(), megabytes(&package), megabytes(&packed));
    if options.check { check(&package, &options.output) } else { Ok(()) }
}

fn control(version: &str, architecture: &str) -> String {
    format!(
        "Package: everypath\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: The Everypath developers <everypath@localhost>\n\
         Depends: libc6, libgcc-s1, libstdc++6\nSection: devel\nPriority: optional\n\
         Description: generates tests from an executable alone\n \
         Finds inputs that cover every branch of a firmware image or a program, of any\n \
         processor and without its source, and says of each branch that stays uncovered\n \
         whether it is infeasible or open, and why.\n"
    )
}

/// Installs the package in a clean system, and generates a suite there.
fn check(package: &Path, output: &Path) -> Result<(), String> {
    let system = output.join("system");
    if !system.join("bin/sh").exists() {
        call(Command::new("debootstrap").args(["--variant=minbase", "stable"]).arg(&system))?;
    }
    copy(package, &system.join("everypath.deb"))?;
    let install = format!("dpkg -i /everypath.deb || apt-get install -y -f\n{CHECK}");
    call(Command::new("chroot").arg(&system).args(["sh", "-c", &install]))?;
    println!("a suite was generated and replayed in a clean system");
    Ok(())
}

fn folder(tree: &Path, name: &str) -> Result<PathBuf, String> {
    let path = tree.join(name);
    fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{}: {error}", from.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn megabytes(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len().div_ceil(1_000_000))
}

fn call(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ends with {status}")) }
}

fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} ends with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
