//! A user's architecture works as a built-in one does, is compiled once, and its errors are reported.

mod page;
mod workplace;

use everypath_lift::{Library, SleighCompiler};
use everypath_testkit::{vector_run::run_vectors, vectors};
use page::Page;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use workplace::{Run, Workplace, project};

/// Copies the files of a built-in architecture to `mine/<name>`.
fn copy_architecture(workplace: &Workplace, original: &str, name: &str) -> PathBuf {
    let source = project().join("architectures").join(original);
    let folder = workplace.path().join("mine").join(name);
    fs::create_dir_all(&folder).expect("a folder");
    let description = fs::read_to_string(source.join(format!("{original}.toml"))).expect("a description");
    // A name of its own shows which of the two is used.
    let description = description.replace("aliases = [", "aliases = [\"own-copy\", ");
    fs::write(folder.join(format!("{name}.toml")), description).expect("a copy");
    let specification = format!("{original}.slaspec");
    fs::copy(source.join(&specification), folder.join(&specification)).expect("a copy");
    folder
}

fn disassemble(workplace: &Workplace, architecture: &str) -> Run {
    workplace.run(&[
        "--architectures",
        "mine",
        "--cache",
        "kept",
        "inspect",
        "instructions",
        "counter-6800.s19",
        "--p-code",
        "--architecture",
        architecture,
    ])
}

/// The files of a folder, with the time of their last change.
fn files(folder: &Path) -> Vec<(PathBuf, SystemTime)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut files: Vec<(PathBuf, SystemTime)> = entries
        .map(|entry| (entry.path(), entry.metadata().and_then(|file| file.modified()).expect("a time")))
        .collect();
    files.sort();
    files
}

#[test]
fn a_copy_of_a_built_in_architecture_gives_the_same_listing_and_is_compiled_once() {
    let workplace = Workplace::new();
    let folder = copy_architecture(&workplace, "6800", "my6800");
    let built_in = disassemble(&workplace, "6800");
    assert_eq!(built_in.code, Some(0), "{}", built_in.stderr);
    assert!(built_in.stdout.contains("LDAA"), "{}", built_in.stdout);
    let cache = workplace.path().join("kept");
    assert!(!cache.exists(), "a built-in architecture needs no compiler");

    assert_eq!(disassemble(&workplace, "my6800"), built_in);
    let compiled = files(&cache);
    assert_eq!(compiled.len(), 1, "{compiled:?}");

    assert_eq!(disassemble(&workplace, "my6800"), built_in);
    assert_eq!(files(&cache), compiled, "the second run uses what the first one compiled");

    let file = folder.join("6800.slaspec");
    let specification = fs::read_to_string(&file).expect("the copy");
    fs::write(&file, specification + "\n# changed\n").expect("a change");
    assert_eq!(disassemble(&workplace, "my6800"), built_in);
    assert_eq!(files(&cache).len(), 2, "a changed specification is compiled anew");
}

#[test]
fn the_list_shows_where_an_architecture_comes_from() {
    let workplace = Workplace::new();
    copy_architecture(&workplace, "6800", "my6800");
    let run = workplace.run(&["architectures", "--architectures", "mine"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("from: mine/my6800/my6800.toml"), "{}", run.stdout);
}

#[test]
fn the_folder_of_the_user_is_the_default_cache() {
    let workplace = Workplace::new();
    copy_architecture(&workplace, "6800", "my6800");
    let arguments =
        ["inspect", "image", "counter-6800.s19", "--architectures", "mine", "--architecture", "my6800"];
    let run = workplace.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(files(&workplace.path().join("user cache/everypath")).len(), 1);
}

#[test]
fn a_broken_specification_is_refused_with_its_file_and_line() {
    let workplace = Workplace::new();
    let folder = copy_architecture(&workplace, "6800", "my6800");
    let file = folder.join("6800.slaspec");
    let specification = fs::read_to_string(&file).expect("the copy");
    let lines = specification.lines().count();
    // A syntax error, and an unknown name. The compiler ends its process at a faulty directive, such as the third,
    // without reporting a line.
    let faults = [
        (":NONSENSE is is {", true),
        (":NONSENSE is op8=0x02 { nothing = 1; }", true),
        ("@include \"nowhere.sinc\"", false),
    ];
    for (fault, names_line) in faults {
        fs::write(&file, format!("{}\n{fault}\n", specification.trim_end())).expect("a fault");
        let run = disassemble(&workplace, "my6800");
        assert_eq!(run.code, Some(1), "{fault}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{fault}");
        assert!(run.stderr.contains("6800.slaspec"), "{fault}: {}", run.stderr);
        let near = (lines..=lines + 2).any(|line| run.stderr.contains(&format!(":{line}")));
        assert_eq!(near, names_line, "{fault}: a line from {lines} on is named: {}", run.stderr);
        let kept = workplace.path().join("kept");
        assert!(!kept.exists() || files(&kept).is_empty(), "{fault}: nothing of it is kept");
    }
}

#[test]
fn the_processor_of_the_guide_does_what_its_vectors_say() {
    let text = fs::read_to_string(project().join("docs/guide/new-architecture.md")).expect("the page");
    let page = Page::parse(&text);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in page.files() {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file of the page");
    }
    let mut library = Library::built_in().with_compiler(SleighCompiler {
        program: PathBuf::from(env!("CARGO_BIN_EXE_everypath")),
        arguments: vec!["compile-sleigh".to_owned()],
        cache: folder.path().join("kept"),
    });
    library.add_folder(&folder.path().join("mine")).unwrap_or_else(|error| panic!("{error}"));
    let architecture = library.load("tiny").unwrap_or_else(|error| panic!("{error}"));
    let vectors = vectors::read_folder(&folder.path().join("tests/vectors/tiny"));
    let vectors = vectors.unwrap_or_else(|error| panic!("{error}"));
    assert!(vectors.len() >= 7, "the page has vectors");
    let faults: Vec<String> = run_vectors(&architecture, &vectors).iter().map(ToString::to_string).collect();
    assert_eq!(faults, [""; 0]);
}
