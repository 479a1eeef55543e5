//! The log of QEMU with `-d exec,nochain`: a line for each translation block that is entered.
//!
//! Without `nochain`, blocks that jump to each other directly are not logged, and the order has gaps.

use super::{RecordedExecution, TracedProgram};

/// What a line for a translation block begins with.
const BLOCK: &str = "Trace ";

pub(super) fn fits(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').take(1000);
    lines.any(|line| std::str::from_utf8(line).is_ok_and(|line| block(line).is_some()))
}

pub(super) fn read(bytes: &[u8], _: &TracedProgram<'_>) -> Result<RecordedExecution, String> {
    let mut blocks = Vec::new();
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line);
        if line.starts_with(BLOCK) {
            let wrong = || format!("line {} has no address of a block; is the log cut off?", number + 1);
            blocks.push(block(&line).ok_or_else(wrong)?);
        }
    }
    Ok(RecordedExecution::InOrder(blocks))
}

/// The address of the block in `Trace 0: 0x7f9a24000100 [00000000/0000000000010074/00000000/ff000000] main`.
fn block(line: &str) -> Option<u64> {
    let (_, state) = line.strip_prefix(BLOCK)?.split_once('[')?;
    u64::from_str_radix(state.split('/').nth(1)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_and_other_lines_skipped() {
        let text = b"Trace 0: 0x7f9a24000100 [00000000/0000000000010074/00000000/ff000000] main\n\
                     Stopped execution of TB chain before 0x7f9a24000300 [0000000000010088]\n\
                     Trace 0: 0x7f9a24000300 [00800400/08000088/00000110/ff000000] update\n";
        assert!(fits(text));
        let program = TracedProgram { name: "firmware.elf", base: 0 };
        assert_eq!(read(text, &program), Ok(RecordedExecution::InOrder(vec![0x1_0074, 0x800_0088])));
        assert!(!fits(b"0x10\n0x12\n"));
        assert!(read(b"Trace 0: 0x7f9a2400\n", &program).is_err_and(|error| error.contains("line 1")));
    }
}
