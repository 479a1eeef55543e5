//! The reference's answer for one instruction, and its line form.
//!
//! `address length p-code`, followed by a tab and the disassembly if requested, or `address bad reason`; numbers are
//! hexadecimal. The p-code has the form of [`crate::pcode_text`].

/// The reference's answer for one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceAnswer {
    /// The address, in bytes.
    pub address: u64,
    /// Whether this is the first answer of a new instance, whose context map is empty.
    pub fresh: bool,
    /// The outcome.
    pub outcome: ReferenceOutcome,
}

/// The outcome of decoding at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceOutcome {
    /// An instruction.
    Decoded {
        /// Its length in bytes, delay slots included.
        length: u64,
        /// Its p-code in the form of [`crate::pcode_text`].
        pcode: String,
        /// Its disassembly, if the setup asks for it.
        text: Option<String>,
    },
    /// No instruction. The first word of the reason is `undecodable`, `unimplemented`, `unaligned`,
    /// `truncated` or `other`; the rest is the reference's own message.
    Bad {
        /// The reason.
        reason: String,
    },
    /// Decoding this alone killed the reference.
    Crashed,
}

impl ReferenceOutcome {
    /// Writes the line of an answer, without a line end. [`ReferenceOutcome::Crashed`] has none: the process that would
    /// write it is dead.
    pub fn write_line(&self, address: u64, line: &mut String) {
        use std::fmt::Write;
        let written = match self {
            Self::Decoded { length, pcode, text } => {
                let text = text.as_ref().map(|text| format!("\t{text}"));
                write!(line, "{address:x} {length:x} {pcode}{}", text.unwrap_or_default())
            }
            Self::Bad { reason } => write!(line, "{address:x} bad {reason}"),
            Self::Crashed => Ok(()),
        };
        written.expect("writing to a string cannot fail");
    }

    /// Reads the line of an answer: address and outcome.
    pub fn read_line(line: &str) -> Option<(u64, Self)> {
        let mut fields = line.splitn(3, ' ');
        let address = u64::from_str_radix(fields.next()?, 16).ok()?;
        let length = fields.next()?;
        let rest = fields.next()?;
        if length == "bad" {
            return Some((address, Self::Bad { reason: rest.to_owned() }));
        }
        let length = u64::from_str_radix(length, 16).ok()?;
        let (pcode, text) = match rest.split_once('\t') {
            Some((pcode, text)) => (pcode, Some(text.to_owned())),
            None => (rest, None),
        };
        Some((address, Self::Decoded { length, pcode: pcode.to_owned(), text }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let decoded = |pcode: &str, text: Option<&str>| ReferenceOutcome::Decoded {
            length: 11,
            pcode: pcode.to_owned(),
            text: text.map(str::to_owned),
        };
        let bad = ReferenceOutcome::Bad { reason: "undecodable no constructor".to_owned() };
        for outcome in [decoded("A b c;D", None), decoded("", None), decoded("", Some("NOP ")), bad] {
            let mut line = String::new();
            outcome.write_line(0x1f, &mut line);
            assert_eq!(ReferenceOutcome::read_line(&line), Some((0x1f, outcome)), "{line}");
        }
    }

    #[test]
    fn other_lines_are_refused() {
        for line in ["", "end", "12", "12 3", "xy 3 A", "12 z A"] {
            assert_eq!(ReferenceOutcome::read_line(line), None, "{line}");
        }
    }
}
