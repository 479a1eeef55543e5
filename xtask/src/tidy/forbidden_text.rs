//! No file contains text that the settings forbid, such as where the project is being built.

use super::{Fault, ForbiddenText, Project, Settings};

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    for forbidden in &project.settings.forbidden_text {
        for (path, text) in project.texts() {
            if path == Settings::FILE || !applies(forbidden, path) {
                continue;
            }
            for (index, line) in text.lines().enumerate() {
                if mentions(line, &forbidden.text) {
                    let message = format!("`{}` may not stand here: {}", forbidden.text, forbidden.reason);
                    faults.push(Fault::new(path, index + 1, message));
                }
            }
        }
    }
    faults
}

fn applies(forbidden: &ForbiddenText, path: &str) -> bool {
    let endings = &forbidden.endings;
    (endings.is_empty() || endings.iter().any(|ending| path.ends_with(ending)))
        && !forbidden.except.iter().any(|file| file == path)
}

fn mentions(line: &str, forbidden: &str) -> bool {
    let (line, forbidden) = (line.to_lowercase(), forbidden.to_lowercase());
    line.match_indices(&forbidden).any(|(position, _)| {
        let before = line[..position].chars().next_back();
        let inside_path = |character: char| character.is_alphanumeric() || "_-.*/".contains(character);
        !forbidden.starts_with('/') || !before.is_some_and(inside_path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forbidden(text: &str, endings: &[&str], except: &[&str]) -> ForbiddenText {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        ForbiddenText {
            text: text.to_owned(),
            endings: owned(endings),
            except: owned(except),
            reason: "it is secret".to_owned(),
        }
    }

    #[test]
    fn each_mention_is_found_where_the_settings_say() {
        let mut project = Project::of(&[
            ("a.rs", "//! Fine.\n// See Registry.Example for it.\n"),
            ("Cargo.lock", "source = 'registry.example'\n"),
            ("docs/b.md", "cd /place/here, not /a/place/here\n"),
            ("src/c.rs", "//! In /place/here.\n"),
            (Settings::FILE, "registry.example"),
        ]);
        project.settings.forbidden_text =
            vec![forbidden("registry.example", &[], &["Cargo.lock"]), forbidden("/place/", &[".md"], &[])];
        let expected = [
            "a.rs:2: `registry.example` may not stand here: it is secret",
            "docs/b.md:1: `/place/` may not stand here: it is secret",
        ];
        assert_eq!(project.faults(check), expected);
    }

    #[test]
    fn a_path_counts_only_from_its_beginning() {
        assert!(mentions("cd /place/x", "/place/"));
        assert!(mentions("`/place/x`", "/place/"));
        assert!(!mentions("crates/place/x", "/place/"));
        assert!(!mentions("../place/x", "/place/"));
    }
}
