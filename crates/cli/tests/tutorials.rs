//! The tutorials of the guide, and the first screen of the README, are followed to the letter.
//!
//! With EVERYPATH_BLESS=1 in the environment, what the pages show is replaced by what is printed.

mod page;
#[allow(dead_code, reason = "only the root of the project is used")]
mod workplace;

use everypath_testkit::programs::installed;
use page::{Page, corrected};
use std::fs;
use std::path::Path;
use workplace::project;

/// The tutorial whose commands build the library, which takes many minutes: its program is an example of that crate,
/// and `crates/everypath/tests/guide.rs` compares the page with what that prints.
const LIBRARY: &str = "library.md";

/// Follows a page in an empty folder.
fn follow(page: &str) {
    let file = project().join(page);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{page}: {error}"));
    let read = Page::parse(&text);
    let needs: Vec<&str> = read.needs.iter().map(String::as_str).collect();
    if !installed(&needs) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let programs = Path::new(env!("CARGO_BIN_EXE_everypath")).parent().expect("the program is in a folder");
    let differences = read.follow(folder.path(), programs);
    if std::env::var_os("EVERYPATH_BLESS").is_some_and(|value| value == "1") {
        fs::write(&file, corrected(&text, &differences)).expect("the page can be written");
    }
    let tell = |one: &page::Difference| {
        let code =
            one.code.as_ref().map(|code| format!("\n(ends with {code}, which the page does not show)"));
        format!("$ {}\n{}{}", one.command, one.printed, code.unwrap_or_default())
    };
    let list: Vec<String> = differences.iter().map(tell).collect();
    assert!(list.is_empty(), "{page} shows something else than\n{}", list.join("\n\n"));
}

#[test]
fn the_first_screen_is_right() {
    follow("README.md");
}

#[test]
fn certification() {
    follow("docs/guide/tutorials/certification.md");
}

#[test]
fn firmware() {
    follow("docs/guide/tutorials/firmware.md");
}

#[test]
fn the_image_without_source_is_compiled_from_the_source_that_is_kept() {
    if !installed(&["sdcc"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut compiler = std::process::Command::new("sdcc");
    compiler.args(["-mmcs51", "--opt-code-size"]).arg(project().join("tests/guests/tutorials/lock.c"));
    let output = compiler.current_dir(folder.path()).output().expect("a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let compiled = fs::read_to_string(folder.path().join("lock.ihx")).expect("an image");
    let text = fs::read_to_string(project().join("docs/guide/tutorials/firmware.md")).expect("the page");
    let page = Page::parse(&text);
    let shown = page.files().find(|(name, _)| *name == "lock.hex").map(|(_, text)| text);
    assert_eq!(shown, Some(&*compiled));
}

#[test]
fn security() {
    follow("docs/guide/tutorials/security.md");
}

#[test]
fn continuous_integration() {
    follow("docs/guide/tutorials/ci.md");
}

#[test]
fn a_new_architecture() {
    follow("docs/guide/new-architecture.md");
}

#[test]
fn every_tutorial_is_followed() {
    let tests = include_str!("tutorials.rs");
    for entry in fs::read_dir(project().join("docs/guide/tutorials")).expect("the tutorials") {
        let name = entry.expect("a page").file_name().to_string_lossy().into_owned();
        let call = format!("follow(\"docs/guide/tutorials/{name}\")");
        assert!(name == LIBRARY || tests.contains(&call), "no test follows {name}");
    }
}

#[test]
fn what_a_page_does_not_show_is_noticed() {
    let page = "Needs `sh`.\n\nSave as `a/b`:\n```text\none\ntwo\n```\n```console\n$ cat a/b\none\n$ (exit 4)\n\
                $ echo $?\n4\n$ (echo 12 s, x; printf three; exit 3)\n...\n```\n";
    let read = Page::parse(page);
    assert_eq!(read.needs, ["sh"]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let differences = read.follow(folder.path(), folder.path());
    let told: Vec<_> = differences.iter().map(|one| (one.printed.as_str(), one.code.as_deref())).collect();
    assert_eq!(told, [("one\ntwo", None), ("three", Some("3"))]);
    let corrected = corrected(page, &differences);
    assert!(corrected.contains("$ cat a/b\none\ntwo\n$ (exit 4)\n$ echo $?\n4\n"), "{corrected}");
    assert!(corrected.ends_with("\nthree\n```\n"), "{corrected}");
}
