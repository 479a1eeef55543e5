//! Vector files on disk.

use crate::{Vector, VectorError, parse};
use std::path::Path;

/// Reads one vector file.
pub fn read_file(path: &Path) -> Result<Vec<Vector>, VectorError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| at_whole(&name, &error.to_string()))?;
    parse(&name, &text)
}

/// Reads each `.vec` file of a folder, in the order of their names. A folder without any is an error: a
/// runner that found nothing must not report success.
pub fn read_folder(folder: &Path) -> Result<Vec<Vector>, VectorError> {
    let name = folder.display().to_string();
    let fault = |error: std::io::Error| at_whole(&name, &error.to_string());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.extension().is_some_and(|extension| extension == "vec") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(at_whole(&name, "no .vec file is here"));
    }
    paths.sort();
    let mut vectors = Vec::new();
    for path in paths {
        vectors.extend(read_file(&path)?);
    }
    Ok(vectors)
}

fn at_whole(file: &str, message: &str) -> VectorError {
    VectorError { file: file.to_owned(), line: 0, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_in_the_order_of_names_and_may_not_be_empty() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_folder(folder.path()).unwrap_err().message.contains("no .vec file"));
        std::fs::write(folder.path().join("b.vec"), "B | 01 | |").unwrap();
        std::fs::write(folder.path().join("a.vec"), "A | 02 | |").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "not a table").unwrap();
        let texts: Vec<_> =
            read_folder(folder.path()).unwrap().into_iter().map(|v| v.text.unwrap()).collect();
        assert_eq!(texts, ["A", "B"]);
        std::fs::write(folder.path().join("c.vec"), "C | 0 | |").unwrap();
        let error = read_folder(folder.path()).unwrap_err();
        assert!(error.file.ends_with("c.vec") && error.line == 1, "{error}");
    }
}
