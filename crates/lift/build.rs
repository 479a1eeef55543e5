//! Compiles the built-in SLEIGH specifications that are ours, and lists the built-in architectures.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the manifest folder"));
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets the output folder"));
    let folder =
        manifest.join("../../architectures").canonicalize().expect("the folder of architectures is there");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the folder of architectures can be read")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| folder.join(name).join(format!("{name}.toml")).is_file())
        .collect();
    names.sort();
    let mut list = String::from(
        "/// Name, description and, where it is ours, compiled specification of each built-in architecture.\n\
         static BUILT_IN: &[(&str, &str, Option<&[u8]>)] = &[\n",
    );
    for name in names {
        let description = folder.join(&name).join(format!("{name}.toml"));
        let source = folder.join(&name).join(format!("{name}.slaspec"));
        let compiled = if source.is_file() { Some(compile(&name, &source, &output)) } else { None };
        let compiled = match compiled {
            Some(path) => format!("Some(include_bytes!({path:?}))"),
            None => "None".to_owned(),
        };
        writeln!(list, "    ({name:?}, include_str!({description:?}), {compiled}),")
            .expect("writing to a string");
    }
    list.push_str("];\n");
    fs::write(output.join("built_in.rs"), list).expect("the list can be written");
}

fn compile(name: &str, source: &Path, output: &Path) -> PathBuf {
    let compiled = output.join(format!("{name}.sla"));
    if let Err(error) = sleigh_compiler::SleighCompiler::default().compile(source, &compiled) {
        panic!("{}: {error:?}", source.display());
    }
    compiled
}
