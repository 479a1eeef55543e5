//! Any text is read or refused; what is read is printed so that it reads the same, and can be verified and trimmed.
#![no_main]

use everypath_ir::{Listing, Observers, eliminate_dead, verify, verify_layout};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(mut listing) = text.parse::<Listing>() else { return };
    let printed = listing.to_string();
    assert_eq!(printed.parse().as_ref(), Ok(&listing), "{printed}");
    assert_eq!(verify_layout(&listing.layout), Ok(()));
    for block in &mut listing.blocks {
        if verify(&listing.layout, block).is_ok() {
            eliminate_dead(block, &listing.layout, Observers::Overwritten);
            assert_eq!(verify(&listing.layout, block), Ok(()));
        }
    }
});
