//! The list of fuzz targets: the binaries of `fuzz/Cargo.toml`.

use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    bin: Vec<Binary>,
}

#[derive(Deserialize)]
struct Binary {
    name: String,
}

/// The names of all targets, or of the one that is wanted.
pub(super) fn names(root: &Path, wanted: Option<&str>) -> Result<Vec<String>, String> {
    let file = root.join("fuzz/Cargo.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    choose(&text, wanted).map_err(|error| format!("{}: {error}", file.display()))
}

fn choose(manifest: &str, wanted: Option<&str>) -> Result<Vec<String>, String> {
    let manifest: Manifest = toml::from_str(manifest).map_err(|error| error.to_string())?;
    let names: Vec<String> = manifest.bin.into_iter().map(|binary| binary.name).collect();
    let Some(wanted) = wanted else { return Ok(names) };
    if names.iter().any(|name| name == wanted) {
        return Ok(vec![wanted.to_owned()]);
    }
    Err(format!("there is no target `{wanted}`, but {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::choose;

    const MANIFEST: &str = "[package]\nname = \"x\"\n[[bin]]\nname = \"one\"\n[[bin]]\nname = \"two\"\n";

    #[test]
    fn all_or_one_are_chosen() {
        assert_eq!(choose(MANIFEST, None).unwrap(), ["one", "two"]);
        assert_eq!(choose(MANIFEST, Some("two")).unwrap(), ["two"]);
    }

    #[test]
    fn an_unknown_one_is_refused() {
        assert!(choose(MANIFEST, Some("three")).unwrap_err().contains("one, two"));
    }
}
