//! Decodes one instruction, and prints its assembly text and its semantics in raw p-code.

use everypath::Library;
use everypath::lift::{CodeBytes, Lifter};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let architecture = Library::built_in().load("x86-64")?;
    let lifter = Lifter::new(architecture.clone());
    let code = CodeBytes { address: 0x1000, bytes: &[0x48, 0x8d, 0x04, 0x1f] };
    let mut session = lifter.session();
    // The decoding context selects the processor mode; this architecture has one.
    let instruction = session.decode(&code, 0x1000, architecture.default_context())?;
    println!("{:#x}: {} ({} bytes)", instruction.address(), instruction.text(), instruction.length());
    for operation in instruction.operations() {
        println!("  {}", operation.display(architecture.specification()));
    }
    Ok(())
}
