//! Build script: lists the programs and the instruction vectors of the kit, by architecture, so that no code names one.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the manifest folder"));
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets the output folder"));
    let mut text = String::new();
    // `vectors` is a link to a folder at the root of the workspace; in the published package, the folder itself.
    for (list, folder, ending) in [("PROGRAMS", "programs", "toml"), ("VECTORS", "vectors", "vec")] {
        let folder = manifest.join(folder).canonicalize().expect("the folder is there");
        println!("cargo::rerun-if-changed={}", folder.display());
        writeln!(text, "/// Architecture, name and contents of each file.").expect("writing to a string");
        writeln!(text, "static {list}: &[(&str, &str, &str)] = &[").expect("writing to a string");
        for architecture in names(&folder) {
            let inside = folder.join(&architecture);
            for file in names(&inside) {
                let path = inside.join(&file);
                if path.extension().is_some_and(|extension| extension == ending) {
                    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                    writeln!(text, "    ({architecture:?}, {stem:?}, include_str!({path:?})),")
                        .expect("writing to a string");
                }
            }
        }
        text.push_str("];\n");
    }
    fs::write(output.join("embedded.rs"), text).expect("the list can be written");
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
