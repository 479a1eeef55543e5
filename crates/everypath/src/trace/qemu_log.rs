//! The log of QEMU with `-d exec,nochain`: a line for each translation block that is entered.
//!
//! Without `nochain`, blocks that jump to each other directly are not logged, and the order has gaps.

use super::{RecordedExecution, TracedProgram};
use std::collections::BTreeMap;

/// The prefix of the line that QEMU logs for an executed translation block.
const BLOCK: &str = "Trace ";

pub(super) fn fits(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').take(1000);
    lines.any(|line| std::str::from_utf8(line).is_ok_and(|line| block(line).is_some()))
}

/// The prefix of the line that QEMU logs when it chains translation blocks, whose executions it then no longer logs.
const LINKING: &str = "Linking TBs";

pub(super) fn read(bytes: &[u8], _: &TracedProgram<'_>) -> Result<RecordedExecution, String> {
    let mut runs: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line);
        if line.starts_with(LINKING) {
            return Err(
                "it was recorded without `nochain`, so that blocks are missing; give QEMU `-d exec,nochain`"
                    .to_owned(),
            );
        }
        if line.starts_with(BLOCK) {
            let wrong = || format!("line {} has no address of a block; is the log cut off?", number + 1);
            let (processor, address) = block(&line).ok_or_else(wrong)?;
            runs.entry(processor).or_default().push(address);
        }
    }
    Ok(RecordedExecution::InOrder(runs.into_values().collect()))
}

/// The processor and the address of the block in `Trace 0: 0x7f9a24000100 [00000000/0000000000010074/00000000/ff000000] main`.
fn block(line: &str) -> Option<(u32, u64)> {
    let (processor, rest) = line.strip_prefix(BLOCK)?.split_once(':')?;
    let (_, state) = rest.split_once('[')?;
    Some((processor.trim().parse().ok()?, u64::from_str_radix(state.split('/').nth(1)?, 16).ok()?))
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
        assert_eq!(read(text, &program), Ok(RecordedExecution::InOrder(vec![vec![0x1_0074, 0x800_0088]])));
        assert!(!fits(b"0x10\n0x12\n"));
        let two = b"Trace 0: 0x7f [0/10/0/0] a\nTrace 1: 0x7f [0/20/0/0] b\nTrace 0: 0x7f [0/12/0/0] a\n";
        assert_eq!(read(two, &program), Ok(RecordedExecution::InOrder(vec![vec![0x10, 0x12], vec![0x20]])));
        let chained = b"Trace 0: 0x7f [0/10/0/0] a\nLinking TBs 0x7f [10] index 0 -> 0x80 [20]\n";
        assert!(read(chained, &program).is_err_and(|error| error.contains("nochain")));
        assert!(read(b"Trace 0: 0x7f9a2400\n", &program).is_err_and(|error| error.contains("line 1")));
    }
}
