//! No circle of imports between the files of a crate, for the crates that the settings name.
//!
//! A file imports another if it names it, or an item that a `mod.rs` re-exports from it, by a path from `crate` or
//! `super`. Imports of tests and of the crate root do not count.

use super::{Fault, Project};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(project: &Project) -> Vec<Fault> {
    project.settings.without_circles.iter().flat_map(|folder| check_crate(project, folder)).collect()
}

fn check_crate(project: &Project, folder: &str) -> Vec<Fault> {
    let source = format!("{folder}/src/");
    let files: BTreeMap<String, (&str, &str)> = project
        .rust_files()
        .filter_map(|(path, text)| Some((module(path.strip_prefix(&source)?)?, (path, text))))
        .collect();
    let imports: BTreeMap<&str, BTreeSet<&str>> =
        files.iter().map(|(name, (_, text))| (name.as_str(), imports(name, text, &files))).collect();
    let mut faults = Vec::new();
    for (name, (path, _)) in &files {
        if let Some(circle) = circle(name, &imports)
            // Reported once, at the first file of the circle.
            && circle.iter().all(|other| name.as_str() <= *other)
        {
            let message = format!("imports go in a circle: {} -> {name}", circle.join(" -> "));
            faults.push(Fault::new(path, 1, message));
        }
    }
    faults
}

/// The name of the module in a file, such as `verdict::ledger`; none for the crate root.
fn module(path: &str) -> Option<String> {
    let path = path.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    (path != "lib" && path != "main").then(|| path.replace('/', "::"))
}

/// The files that a file imports.
fn imports<'f>(name: &str, text: &str, files: &'f BTreeMap<String, (&str, &str)>) -> BTreeSet<&'f str> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    // A comment may name what the code does not use.
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code = code.lines().filter(is_code).collect::<Vec<_>>().join("\n");
    let folder = name.rsplit_once("::").map_or("", |(folder, _)| folder);
    let by_crate = code.split("crate::").skip(1).flat_map(names);
    let by_super = code.split("super::").skip(1).flat_map(names).map(|path| format!("{folder}::{path}"));
    let found = by_crate.chain(by_super).filter_map(|path| file_of(&path, files));
    found.filter(|file| *file != name).collect()
}

/// The file of the item or module at a path; of a re-exported item, the file that it comes from.
fn file_of<'f>(path: &str, files: &'f BTreeMap<String, (&str, &str)>) -> Option<&'f str> {
    let parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty()).collect();
    let found = |length: usize| files.get_key_value(&parts[..length].join("::")).map(|found| (length, found));
    let (length, (file, (_, text))) = (1..=parts.len()).rev().find_map(found)?;
    let item = parts.get(length).copied().unwrap_or_default();
    let mut exports = text.split("use ").skip(1).flat_map(names);
    let export = exports.find(|path| !item.is_empty() && path.rsplit("::").next() == Some(item));
    let source = export.and_then(|path| {
        let path = path.trim_start_matches("self::");
        let (child, _) = path.split_once("::")?;
        files.get_key_value(&format!("{file}::{child}"))
    });
    Some(source.map_or(file.as_str(), |(source, _)| source.as_str()))
}

/// The paths at the start of a text that follows `crate::`, one for each name in braces.
fn names(text: &str) -> Vec<String> {
    let is_path = |character: char| character.is_alphanumeric() || character == '_' || character == ':';
    let end = text.find(|character| !is_path(character)).unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((list, _)) => list.split(',').map(|name| format!("{path}{}", name.trim())).collect(),
        None => vec![path.to_owned()],
    }
}

/// A shortest circle of imports through a file.
fn circle<'f>(start: &'f str, imports: &BTreeMap<&'f str, BTreeSet<&'f str>>) -> Option<Vec<&'f str>> {
    let mut from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = std::collections::VecDeque::from([start]);
    while let Some(file) = open.pop_front() {
        for next in imports.get(file).into_iter().flatten() {
            if *next == start {
                let mut circle = vec![file];
                while let Some(before) = from.get(circle[circle.len() - 1]) {
                    circle.push(before);
                }
                circle.reverse();
                return Some(circle);
            }
            if !from.contains_key(next) {
                from.insert(next, file);
                open.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_reported_once_and_tests_do_not_count() {
        let mut project = Project::of(&[
            ("crates/a/src/lib.rs", "mod b;\nuse crate::b::c::C;\n"),
            ("crates/a/src/b/mod.rs", "//! B.\nuse crate::d::{D, E};\n"),
            ("crates/a/src/b/c.rs", "//! C.\nuse crate::b::B;\n#[cfg(test)]\nuse crate::e::F;\n"),
            ("crates/a/src/d.rs", "//! D.\nuse crate::b::c::C;\n"),
            ("crates/a/src/e.rs", "//! E.\nuse crate::d::D;\n"),
        ]);
        assert_eq!(check(&project), []);
        project.settings.without_circles.push("crates/a".to_owned());
        let found = check(&project);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].to_string().contains("b -> d -> b::c -> b"), "{found:?}");
    }

    #[test]
    fn imports_by_super_and_by_re_exports_count() {
        let mut project = Project::of(&[
            ("crates/a/src/graph/mod.rs", "//! G.\nmod whole;\npub use whole::{Edge, Graph};\n"),
            ("crates/a/src/graph/whole.rs", "//! W.\nuse crate::table::Resolver;\n"),
            ("crates/a/src/table/mod.rs", "//! T.\nmod resolver;\npub use resolver::Resolver;\n"),
            ("crates/a/src/table/resolver.rs", "//! R.\nuse super::bounds::Bounds;\n"),
            ("crates/a/src/table/bounds.rs", "//! B.\nuse crate::graph::Graph;\n"),
        ]);
        project.settings.without_circles.push("crates/a".to_owned());
        let found = check(&project);
        assert_eq!(found.len(), 1, "{found:?}");
        let circle = "graph::whole -> table::resolver -> table::bounds -> graph::whole";
        assert!(found[0].to_string().contains(circle), "{found:?}");
    }
}
