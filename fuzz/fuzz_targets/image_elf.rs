//! Reads any bytes as ELF.

#![no_main]

#[path = "image/touch.rs"]
mod touch;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| touch::read_and_touch(bytes, Some("elf")));
