//! Incremental compilation of SLEIGH specifications, each in its own process because the compiler has global state.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::{env, fs};

/// The first argument of a child process that compiles one specification.
const REQUEST: &str = "compile-one-specification";

/// A specification and the file to write.
pub(crate) struct Request {
    source: PathBuf,
    output: PathBuf,
}

/// The specification that this process was started to compile, if it is such a child.
pub(crate) fn requested() -> Option<Request> {
    let mut arguments = env::args_os().skip(1);
    if arguments.next()? != REQUEST {
        return None;
    }
    Some(Request { source: arguments.next()?.into(), output: arguments.next()?.into() })
}

/// Compiles in this process.
pub(crate) fn in_this_process(request: &Request) {
    if let Err(error) = sleigh_compiler::SleighCompiler::default().compile(&request.source, &request.output) {
        panic!("{}: {error:?}", request.source.display());
    }
}

/// Compiles each given specification, two at a time; returns the compiled files.
pub(crate) fn all(sources: &[Option<PathBuf>], output: &Path) -> Vec<Option<PathBuf>> {
    let compiled: Vec<Option<PathBuf>> = sources
        .iter()
        .map(|source| source.as_ref().map(|source| output.join(format!("{}.sla", content_name(source)))))
        .collect();
    let mut waiting: Vec<(&PathBuf, &PathBuf)> = sources
        .iter()
        .zip(&compiled)
        .filter_map(|(source, compiled)| Some((source.as_ref()?, compiled.as_ref()?)))
        .filter(|(_, compiled)| !compiled.is_file())
        .collect();
    // Two architectures may share one specification.
    waiting.sort_by_key(|(_, compiled)| *compiled);
    waiting.dedup_by_key(|(_, compiled)| *compiled);
    let mut running: Vec<(Child, &PathBuf, PathBuf, &PathBuf)> = Vec::new();
    while !(waiting.is_empty() && running.is_empty()) {
        while running.len() < 2 {
            let Some((source, compiled)) = waiting.pop() else { break };
            let fresh = compiled.with_extension("fresh");
            let program = env::current_exe().expect("a program knows its own file");
            let child = Command::new(program).arg(REQUEST).arg(source).arg(&fresh).spawn();
            running.push((child.expect("the compiler can be started"), source, fresh, compiled));
        }
        let (mut child, source, fresh, compiled) = running.remove(0);
        let status = child.wait().expect("the compiler can be waited for");
        assert!(status.success(), "{}: does not compile, see above", source.display());
        fs::rename(&fresh, compiled).expect("the compiled specification can be renamed");
    }
    compiled
}

/// A file name derived from the contents of all files in the specification's folder.
fn content_name(source: &Path) -> String {
    let folder = source.parent().expect("a file lies in a folder");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of a specification can be read")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "sinc" || extension == "slaspec")
        })
        .collect();
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        hash.update(fs::read(&file).expect("a specification can be read"));
    }
    let digits: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{digits}", source.file_stem().unwrap_or_default().to_string_lossy())
}
