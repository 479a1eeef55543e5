//! Whether output is coloured.

use crate::arguments::ColourWhen;
use crate::failure::Failure;
use anstream::{AutoStream, ColorChoice};
use everypath_report::ColouredWriter;
use std::io::{self, Write};

impl ColourWhen {
    /// Whether text for a stream is coloured: `choice` is what the terminal and the user's environment allow.
    fn allows(self, choice: ColorChoice) -> bool {
        match self {
            ColourWhen::Auto => choice != ColorChoice::Never,
            ColourWhen::Always => true,
            ColourWhen::Never => false,
        }
    }

    /// Whether standard output is coloured.
    pub(crate) fn for_output(self) -> bool {
        self.allows(AutoStream::choice(&io::stdout()))
    }

    /// Whether standard error is coloured.
    pub(crate) fn for_errors(self) -> bool {
        self.allows(AutoStream::choice(&io::stderr()))
    }
}

/// Prints text to standard output, with colours if they are wanted there.
pub(crate) fn print(
    when: ColourWhen,
    out: &mut dyn Write,
    text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    if !when.for_output() {
        return Ok(text(out)?);
    }
    let mut coloured = ColouredWriter::new(out);
    text(&mut coloured)?;
    coloured.flush()?;
    Ok(())
}
