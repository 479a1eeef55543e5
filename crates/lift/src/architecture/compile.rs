//! Compilation of a user's `.slaspec`, with a content-addressed cache. It runs in a child process, because the SLEIGH
//! compiler exits on some errors.

use super::error::ArchitectureError;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The command that compiles specifications, and the cache of its results.
#[derive(Clone, Debug)]
pub struct SleighCompiler {
    /// The program to run with [`SleighCompiler::arguments`], the `.slaspec` and the `.sla` to write. It must call
    /// [`compile_sleigh`].
    pub program: PathBuf,
    /// Arguments before the two files.
    pub arguments: Vec<String>,
    /// The cache folder.
    pub cache: PathBuf,
}

/// Compiles a `.slaspec` in this process. The compiler may exit: call this in a child process.
///
/// # Errors
/// The compiler's message, if it rejects the specification.
pub fn compile_sleigh(source: &Path, output: &Path) -> Result<(), String> {
    match sleigh_compiler::SleighCompiler::default().compile(source, output) {
        Ok(_) => Ok(()),
        Err(sleigh_compiler::Error::NonZeroExitCode(response)) => {
            let lines: Vec<String> =
                response.errors.iter().chain(&response.warnings).map(ToString::to_string).collect();
            Err(lines.join("\n"))
        }
        Err(other) => Err(other.to_string()),
    }
}

impl SleighCompiler {
    /// The compiled form of a specification: cached if nothing in its folder has changed, otherwise compiled now.
    pub(super) fn compiled(&self, source: &Path) -> Result<Vec<u8>, ArchitectureError> {
        let file_error = |path: &Path| {
            let path = path.to_owned();
            move |error: std::io::Error| ArchitectureError::File { path, problem: error.to_string() }
        };
        let folder = source.parent().unwrap_or(Path::new("."));
        let key = content_key(folder).map_err(file_error(folder))?;
        let stem = source.file_stem().unwrap_or_default().to_string_lossy();
        let kept = self.cache.join(format!("{stem}-{key}.sla"));
        if let Ok(bytes) = fs::read(&kept) {
            return Ok(bytes);
        }
        fs::create_dir_all(&self.cache).map_err(file_error(&self.cache))?;
        // Write to a temporary file and rename it, so that another process never reads a partial file.
        let fresh = self.cache.join(format!("{stem}-{key}.{}", std::process::id()));
        let run = Command::new(&self.program).args(&self.arguments).arg(source).arg(&fresh).output();
        let run = run.map_err(file_error(&self.program))?;
        if !run.status.success() {
            let _ = fs::remove_file(&fresh);
            let mut output = String::from_utf8_lossy(&run.stdout).into_owned();
            output.push_str(&String::from_utf8_lossy(&run.stderr));
            return Err(ArchitectureError::Compile { path: source.to_owned(), output });
        }
        let bytes = fs::read(&fresh).map_err(file_error(&fresh))?;
        fs::rename(&fresh, &kept).map_err(file_error(&kept))?;
        Ok(bytes)
    }
}

/// A hash of the contents of a specification's folder: a specification may include any file beside it.
fn content_key(folder: &Path) -> std::io::Result<String> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|path| {
        path.extension().is_some_and(|extension| extension == "slaspec" || extension == "sinc")
    });
    files.sort();
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    for file in files {
        let bytes = fs::read(&file)?;
        hash.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    Ok(hash.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect())
}
