//! Writes small ELF files of both classes and byte orders.

pub(crate) mod file;
pub(crate) mod samples;
