//! Printed terms parse back to the same terms.

use everypath_term::Terms;

use crate::expressions::Expressions;
use everypath_testkit::random::Random;

#[test]
fn texts_read_back_as_the_same_terms() {
    let mut random = Random::new(31);
    for _ in 0..150 {
        let mut expressions = Expressions::new(&mut random, true);
        for _ in 0..40 {
            expressions.step();
        }
        let Expressions { mut terms, pairs, .. } = expressions;
        let roots: Vec<_> = pairs.iter().flat_map(|pair| [pair.plain, pair.simple]).collect();
        for &root in &roots {
            let text = terms.text(root).to_string();
            assert_eq!(terms.parse(&text), Ok(vec![root]), "{text}");
        }
        let text = terms.text_of(&roots).to_string();
        assert_eq!(terms.parse(&text).as_ref(), Ok(&roots), "{text}");
        // In another pool they have other handles, but the same text.
        let mut other = Terms::new();
        let read = other.parse(&text).expect("just printed");
        assert_eq!(other.text_of(&read).to_string(), text);
    }
}

#[test]
fn shared_parts_get_names() {
    let mut terms = Terms::new();
    let text = "t1 = zext:32 i0\nult:1 (mul:32 t1 t1) (add:32 t1 0x5:32)";
    let term = terms.parse(text).expect("a text of terms")[0];
    assert_eq!(terms.text(term).to_string(), text);
}

#[test]
fn texts_that_are_no_terms() {
    let cases = [
        ("add:8 i0", "1:9: expected an input such as i0, a constant such as 0x1f:8, a name, or parentheses"),
        ("add:8 i0 0x1:16", "1:1: expected other widths: add takes 2 argument(s)"),
        ("i0\nt1", "2:1: expected an input"),
        ("t1 = i0\nt1 = i1", "2:1: expected a new name such as t1"),
        ("x = i0", "1:1: expected a new name such as t1"),
        ("i0 i1", "1:4: expected the end of the line"),
        ("read i0 i1", "1:6: expected an array"),
        ("read (table:9 x00) i1", "1:20: expected an index of 9 bits"),
        ("table:8 x00", "1:1: expected a term"),
        ("table:8 x0", "1:9: expected bytes such as x00ff"),
        ("store (table:8 x00) i0 0x0:9", "expected a byte before this"),
        ("foo:8 i0", "1:1: expected an operator"),
        ("extract:8 i0", "1:1: expected an operator"),
        ("0x1f", "1:1: expected an input"),
        ("add:8 (i0 i1", "1:11: expected `)`"),
        ("add:0 i0 i1", "1:1: expected an input"),
    ];
    for (text, expected) in cases {
        let error = Terms::new().parse(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let deep = "(".repeat(100_000);
    assert!(Terms::new().parse(&deep).is_err(), "no stack is overrun");
}

#[test]
fn damaged_texts_do_no_harm() {
    let mut random = Random::new(33);
    let text = "t1 = store (table:8 x0102) i0 (extract.0:8 0x1ff:12)\nread t1 (add:8 i1 i0)\nselect:8 (eq:1 i0 i1) i0 0x1:8";
    for _ in 0..3000 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..random.below(4) + 1 {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.pick(b"()=:ix0123456789 tabcdef\n"),
                1 => {
                    bytes.remove(at);
                }
                _ => bytes.insert(at, random.pick(b"()=:ix0123456789 tabcdef\n")),
            }
        }
        let text = String::from_utf8(bytes).expect("only ASCII");
        let mut terms = Terms::new();
        if let Ok(read) = terms.parse(&text) {
            let again = terms.text_of(&read).to_string();
            assert_eq!(terms.parse(&again), Ok(read), "{text}");
        }
    }
}

/// Fuzzing gains nothing from a seed that the target rejects.
#[test]
fn seeds_of_the_fuzz_targets_can_be_read() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (target, is_script) in [("term_text", false), ("term_smtlib", true)] {
        let seeds: Vec<_> = std::fs::read_dir(corpus.join(target)).expect("a folder of seeds").collect();
        assert!(seeds.len() > 1, "{target} has too few seeds");
        for seed in seeds {
            let path = seed.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            let mut terms = Terms::new();
            let read = if is_script {
                terms.read_smtlib(&text).map(|script| script.assertions)
            } else {
                terms.parse(&text)
            };
            assert!(read.as_ref().is_ok_and(|read| !read.is_empty()), "{}: {read:?}", path.display());
        }
    }
}
