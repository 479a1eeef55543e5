//! Any text is read as terms or refused; what is read is printed so that it reads the same, and simplification keeps its
//! value.
#![no_main]

use everypath_term::{Evaluation, Model, Terms};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut terms = Terms::new();
    let Ok(read) = terms.parse(text) else { return };
    let printed = terms.text_of(&read).to_string();
    assert_eq!(terms.parse(&printed).as_ref(), Ok(&read), "{printed}");
    let simple = terms.simplify(&read);
    let mut evaluation = Evaluation::new(Model::from_bytes(data));
    for (&given, &simple) in read.iter().zip(&simple) {
        assert_eq!(evaluation.value(&terms, given), evaluation.value(&terms, simple), "{}", terms.text(given));
    }
});
