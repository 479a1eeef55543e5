//! The output of an independent disassembler.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The instructions of a program, and the addresses that they name.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The instructions: address and name.
    pub instructions: BTreeMap<u64, String>,
    /// The addresses of padding.
    pub filling: BTreeSet<u64>,
    /// The targets of direct jumps and calls; a target behind a prefix is an instruction, too.
    pub targets: BTreeSet<u64>,
    /// Addresses after one of the given words.
    pub tables: BTreeSet<u64>,
    /// Addresses that instructions refer to: the instruction, and the address.
    pub mentions: Vec<(u64, u64)>,
}

/// The mnemonics of padding between functions.
const FILLING: [&str; 4] = ["nop", "xchg", "data16", "cs"];

impl Listing {
    /// Runs a disassembler.
    ///
    /// # Errors
    /// If it cannot be run.
    pub(super) fn new(file: &Path, disassembler: &str, words: &[String]) -> Result<Self, String> {
        let run = Command::new(disassembler).args(["-d", "-w", "--no-show-raw-insn"]).arg(file).output();
        let run = run.map_err(|error| format!("{disassembler}: {error}"))?;
        if !run.status.success() {
            return Err(format!("{disassembler}: {}", String::from_utf8_lossy(&run.stderr)));
        }
        let mut listing = Self::default();
        for line in String::from_utf8_lossy(&run.stdout).lines() {
            // Lines such as `  401126:	push   %rbp`.
            let Some((address, text)) = line.split_once(":\t") else { continue };
            let Ok(address) = u64::from_str_radix(address.trim(), 16) else { continue };
            let word = text.split_whitespace().next().unwrap_or_default();
            if word.starts_with('.') || word.starts_with('<') {
                continue;
            }
            listing.instructions.insert(address, word.to_owned());
            if FILLING.iter().any(|filling| word.starts_with(filling)) {
                listing.filling.insert(address);
            }
            let operand = text.split_whitespace().nth(1).unwrap_or_default();
            if text.contains(" <")
                && let Ok(target) = u64::from_str_radix(operand, 16)
            {
                listing.targets.insert(target);
            }
            if text
                .split(|symbol: char| !symbol.is_alphanumeric())
                .any(|part| words.iter().any(|word| word == part))
            {
                listing.tables.extend(mentions(text));
            }
            listing.mentions.extend(mentions(text).map(|mention| (address, mention)));
        }
        Ok(listing)
    }
}

/// The numbers before a name in angle brackets, as in `call 401126 <main>`.
fn mentions(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.match_indices(" <").filter_map(|(at, _)| {
        let word = text[..at].rsplit(|symbol: char| !symbol.is_ascii_hexdigit()).next()?;
        u64::from_str_radix(word, 16).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn what_a_line_names_is_read() {
        let named = |text: &str| mentions(text).collect::<Vec<_>>();
        assert_eq!(named("call   401126 <main>"), [0x401126]);
        assert_eq!(named("lea 0x77(%rip),%rdx        # 47900c <.LC2+0x4>"), [0x47900c]);
        assert_eq!(named("ldr\tr0, [pc, #68]\t@ (1052c <sw+0x6c>)"), [0x1052c]);
        assert!(named("push   %rbp").is_empty());
    }
}
