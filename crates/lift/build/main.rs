//! Build script: compiles the built-in SLEIGH specifications that are ours or that we correct, and lists the built-in
//! architectures.

mod compile;
mod operation;
mod overlay;
mod package;

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    if let Some(request) = compile::requested() {
        return compile::in_this_process(&request);
    }
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the manifest folder"));
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets the output folder"));
    // A link to the folder at the root of the workspace; in the published package, the folder itself.
    let folder = manifest.join("architectures").canonicalize().expect("the folder of architectures is there");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the folder of architectures can be read")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| folder.join(name).join(format!("{name}.toml")).is_file())
        .collect();
    names.sort();
    let sources: Vec<Option<PathBuf>> =
        names.iter().map(|name| package::source(&folder.join(name), name, &output)).collect();
    let compiled = compile::all(&sources, &output);
    let mut list = String::from(
        "/// Name, description, specification where it is compiled here, and conformance of each built-in architecture.\n\
         static BUILT_IN: &[(&str, &str, Option<&[u8]>, &str)] = &[\n",
    );
    for (name, compiled) in names.iter().zip(compiled) {
        let description = folder.join(name).join(format!("{name}.toml"));
        let compiled = match compiled {
            Some(path) => format!("Some(include_bytes!({path:?}))"),
            None => "None".to_owned(),
        };
        let conformance = folder.join(name).join("conformance.toml");
        let conformance = match conformance.is_file() {
            true => format!("include_str!({conformance:?})"),
            false => "\"\"".to_owned(),
        };
        writeln!(list, "    ({name:?}, include_str!({description:?}), {compiled}, {conformance}),")
            .expect("writing to a string");
    }
    list.push_str("];\n");
    fs::write(output.join("built_in.rs"), list).expect("the list can be written");
}
