//! Reads any bytes in the format that they look like.

#![no_main]

#[path = "image/touch.rs"]
mod touch;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| touch::read_and_touch(bytes, None));
