//! Follows the links of pages: to files, to headings and to pictures.

use super::pages::{Pages, targets};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeMap;
use std::path::Path;

/// The links that lead nowhere, or out of these folders.
pub(super) fn faults(root: &Path, pages: &Pages, folders: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, text) in pages.iter() {
        for target in targets(text).into_iter().filter(|target| !is_elsewhere(target)) {
            let fault = fault(root, pages, folders, name, &target);
            faults.extend(fault.map(|fault| format!("{name}: {target}{fault}")));
        }
    }
    faults
}

/// Whether a target is not a file of ours: `https:`, `mailto:`.
fn is_elsewhere(target: &str) -> bool {
    target.split(['/', '#']).next().is_some_and(|start| start.contains(':'))
}

/// The fault of a link on a page, as the end of a message; `None` if the link is right.
fn fault(root: &Path, pages: &Pages, folders: &[&str], page: &str, target: &str) -> Option<&'static str> {
    let (file, heading) = target.split_once('#').map_or((target, None), |(file, id)| (file, Some(id)));
    let file = if file.is_empty() { page.to_owned() } else { resolve(page, file) };
    if !root.join(&file).exists() {
        return Some(" does not exist");
    }
    if !folders.iter().any(|folder| file == *folder || file.starts_with(&format!("{folder}/"))) {
        return Some(" leads out of the book");
    }
    let heading = heading?;
    let has_heading = pages.text(&file).is_some_and(|text| headings(text).iter().any(|id| id == heading));
    (!has_heading).then_some(": there is no such heading")
}

/// A path that is relative to the folder of a page, from the root of the project.
fn resolve(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The identifiers of headings, as mdBook and GitHub make them: of one text that occurs again, the later ones are numbered.
fn headings(text: &str) -> Vec<String> {
    let (mut ids, mut counts) = (Vec::new(), BTreeMap::<String, usize>::new());
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let id = identifier(&heading.take().unwrap_or_default());
                let count = counts.entry(id.clone()).or_default();
                ids.push(if *count == 0 { id } else { format!("{id}-{count}") });
                *count += 1;
            }
            _ => {}
        }
    }
    ids
}

fn identifier(heading: &str) -> String {
    let character = |character: char| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        other => other.is_alphanumeric().then_some(other),
    };
    heading.to_lowercase().chars().filter_map(character).collect()
}
