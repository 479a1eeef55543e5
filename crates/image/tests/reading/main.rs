//! Files are read as they were written.

mod elf;
#[path = "../elf_writer/mod.rs"]
mod elf_writer;
mod lines;
mod text_formats;
