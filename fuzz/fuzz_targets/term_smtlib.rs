//! Any text is read as a script in SMT-LIB 2 or refused; what is read is written so that it reads with the same values.
#![no_main]

use everypath_term::{Evaluation, Model, Terms};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut terms = Terms::new();
    let Ok(script) = terms.read_smtlib(text) else { return };
    let written = terms.smtlib(&script.assertions).expect("nothing that is read cannot be written");
    let mut other = Terms::new();
    let again = other.read_smtlib(&written).expect("what was written can be read");
    let model = Model::from_bytes(data);
    let (mut here, mut there) = (Evaluation::new(model.clone()), Evaluation::new(model));
    for (&first, &second) in script.assertions.iter().zip(&again.assertions) {
        assert_eq!(here.holds(&terms, first), there.holds(&other, second), "{written}");
    }
});
