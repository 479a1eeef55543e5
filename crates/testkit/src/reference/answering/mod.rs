//! The child's side: answers one request for decoding with Ghidra's C++ decoder.
//!
//! It reads a request on its input and writes `ready`, one line for each answer, and `end` on its output;
//! or `error` and a message when it cannot begin. It may die on any instruction.

mod answer;
mod decode;
mod image;
mod opcode;
mod processor;

pub use answer::answer_request;
