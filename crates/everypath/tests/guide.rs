//! The code in the guide for library users is that of the examples, which are compiled and run.

mod example;

use std::fs;
use std::path::Path;

/// The Rust code in a page, block by block.
fn code_blocks(page: &str) -> Vec<&str> {
    let blocks = page.split("```rust\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default()).collect()
}

/// The lines without indentation, since an example indents what the page does not.
fn lines(code: &str) -> Vec<&str> {
    code.lines().map(str::trim).collect()
}

/// The blocks of a page that are in no example.
fn strangers<'p>(page: &'p str, examples: &[String]) -> Vec<&'p str> {
    let is_part =
        |block: &[&str], example: &str| lines(example).windows(block.len()).any(|part| part == block);
    let is_known = |block: &str| examples.iter().any(|example| is_part(&lines(block), example));
    code_blocks(page).into_iter().filter(|block| !is_known(block)).collect()
}

fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files =
        fs::read_dir(folder).expect("the folder of examples").map(|entry| entry.expect("a file").path());
    files.map(|file| fs::read_to_string(file).expect("an example")).collect()
}

#[test]
fn each_piece_of_code_is_part_of_an_example() {
    let page = include_str!("../../../docs/guide/library.md");
    assert!(code_blocks(page).len() >= 7, "the page shows code");
    assert_eq!(strangers(page, &examples()), [""; 0]);
}

#[test]
fn the_tutorial_has_a_whole_example_and_what_it_prints() {
    let page = include_str!("../../../docs/guide/tutorials/library.md");
    assert_eq!(code_blocks(page), [include_str!("../examples/first_program.rs")]);
    let printed = page.split("$ cargo run --quiet\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(printed, Some(&*example::run("first_program", &[])));
}

#[test]
fn other_code_is_noticed() {
    let example = "fn main() {\n    let a = 1;\n    f(a);\n}\n".to_owned();
    let page = "text\n```rust\nlet a = 1;\nf(a);\n```\n```rust\nlet a = 2;\n```\n";
    assert_eq!(strangers(page, &[example]), ["let a = 2;\n"]);
}
