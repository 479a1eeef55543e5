//! Lists of the basic blocks that the code of a firmware image has, against which executed blocks are counted.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The name of a list, beside its image.
const LIST: &str = "valid_basic_blocks.txt";

/// An image with the addresses of its basic blocks.
pub(super) struct ListedImage {
    pub(super) file: PathBuf,
    pub(super) name: String,
    pub(super) blocks: HashSet<u64>,
}

/// Reads every list of blocks in a folder and those below. The image is the only ELF file beside the list; folders without
/// one are returned, too.
pub(super) fn read(suite: &Path) -> Result<(Vec<ListedImage>, Vec<PathBuf>), String> {
    let (mut images, mut without_image) = (Vec::new(), Vec::new());
    for folder in folders(suite)? {
        let list = folder.join(LIST);
        if !list.exists() {
            continue;
        }
        let Some(file) = only_elf(&folder)? else {
            without_image.push(folder);
            continue;
        };
        let text = std::fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let blocks = addresses(&text).map_err(|error| format!("{}: {error}", list.display()))?;
        images.push(ListedImage { file, name, blocks });
    }
    Ok((images, without_image))
}

/// A folder and all below, in the order of their names.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut inner = files(folder)?;
    inner.retain(|path| path.is_dir());
    inner.sort();
    let mut found = vec![folder.to_owned()];
    for folder in inner {
        found.extend(folders(&folder)?);
    }
    Ok(found)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(unreadable)).collect()
}

fn only_elf(folder: &Path) -> Result<Option<PathBuf>, String> {
    let is_elf = |file: &PathBuf| {
        let has_contents = || std::fs::metadata(file).is_ok_and(|metadata| metadata.len() > 0);
        file.extension().is_some_and(|extension| extension == "elf") && has_contents()
    };
    let mut found = files(folder)?;
    found.retain(is_elf);
    Ok(if found.len() == 1 { found.pop() } else { None })
}

/// The addresses of a list: one in each line, hexadecimal.
fn addresses(text: &str) -> Result<HashSet<u64>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let address = |line: &str| u64::from_str_radix(line.trim_start_matches("0x"), 16);
    lines.map(|line| address(line).map_err(|error| format!("`{line}`: {error}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_belongs_to_the_only_image_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        };
        write("one/image.elf", "x");
        write("one/valid_basic_blocks.txt", "8000188\n0x8000190\n\n");
        write("two/valid_basic_blocks.txt", "10\n");
        write("three/image.elf", ""); // what a failed download leaves
        write("three/valid_basic_blocks.txt", "10\n");
        let (images, without_image) = read(folder.path()).expect("lists");
        assert_eq!(images.len(), 1);
        assert_eq!(images[0].name, "one");
        assert_eq!(images[0].blocks, HashSet::from([0x800_0188, 0x800_0190]));
        assert_eq!(without_image, ["three", "two"].map(|name| folder.path().join(name)));
    }

    #[test]
    fn a_line_that_is_no_address_is_refused() {
        assert!(addresses("800\nmain\n").is_err_and(|error| error.contains("`main`")));
    }
}
