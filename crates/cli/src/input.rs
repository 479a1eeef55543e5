//! The file and the architecture that the command line names.

use crate::arguments::{File, GlobalOptions};
use crate::failure::Failure;
use crate::subject;
use everypath_environment::Configuration;
use everypath_image::{Image, ReadOptions};
use everypath_lift::{Architecture, ArchitectureError, Library, SleighCompiler};
use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// The library of architectures: the built-in ones and those in the user's folders.
pub(crate) fn library(options: &GlobalOptions) -> Result<Library, Failure> {
    let mut library = Library::built_in();
    if options.architectures.is_empty() {
        return Ok(library);
    }
    let program = env::current_exe()
        .map_err(|error| Failure::Input(format!("cannot find the program that is running: {error}")))?;
    let cache = cache_folder(options)?;
    let arguments = vec!["compile-sleigh".to_owned()];
    library = library.with_compiler(SleighCompiler { program, arguments, cache });
    for folder in &options.architectures {
        library.add_folder(folder).map_err(|error| refused(&error))?;
    }
    Ok(library)
}

fn cache_folder(options: &GlobalOptions) -> Result<PathBuf, Failure> {
    if let Some(folder) = &options.cache {
        return Ok(folder.clone());
    }
    // The XDG specification asks to ignore a folder that is not absolute.
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
    let user = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    user.map(|folder| folder.join("everypath")).ok_or_else(|| {
        Failure::Input("no folder for compiled specifications: HOME is not set; add --cache DIR".to_owned())
    })
}

/// The failure of an architecture that cannot be used.
fn refused(error: &ArchitectureError) -> Failure {
    let next = match error {
        ArchitectureError::Unknown { .. } => "\nmore can be added with --architectures DIR",
        _ => "",
    };
    Failure::Input(format!("{error}{next}"))
}

/// The failure of an operation of the library, with the flags that may help.
pub(crate) fn failure(error: &everypath::Error) -> Failure {
    match error {
        everypath::Error::Architecture(error) => refused(error),
        everypath::Error::NoArchitecture { program, reason, known } => {
            let names = known.join(", ");
            Failure::Input(format!(
                "{program}: {reason}\nadd --architecture NAME, one of: {names}\nor a folder with one of your own: --architectures DIR"
            ))
        }
        error => Failure::Input(error.to_string()),
    }
}

/// Reads the file.
pub(crate) fn image(file: &File) -> Result<Image, Failure> {
    let wrong = |problem: String| Failure::Input(format!("{}: {problem}", file.path.display()));
    let bytes = fs::read(&file.path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let options = ReadOptions { format: file.format, base: file.base, entry: file.entry, space: None };
    Image::read(bytes, &options).map_err(|error| wrong(error.to_string()))
}

/// The architecture named by a flag or by a configuration beside the file, else the one that the file is for.
pub(crate) fn architecture(
    file: &File,
    image: &Image,
    library: &Library,
) -> Result<Arc<Architecture>, Failure> {
    // Commands that need the whole configuration report one that cannot be parsed.
    let beside = fs::read_to_string(subject::beside(file)).ok();
    let configured = beside.and_then(|text| Configuration::parse(&text).ok()?.architecture);
    let named = file.architecture.as_deref().or(configured.as_deref());
    let program = file.path.display().to_string();
    everypath::architecture_of(image, named, library, &program).map_err(|error| failure(&error))
}

/// The name of the architecture that the file declares.
pub(crate) fn detected<'l>(image: &Image, library: &'l Library) -> Option<&'l str> {
    library.detect(image)
}
