//! Address lists: a hexadecimal address in each line, as trace probes and simulators print them.

use super::{RecordedExecution, TracedProgram};

/// Any text may be a list; a wrong line is reported when it is read.
pub(super) fn fits(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

/// Reads the addresses. What follows one in its line is not looked at; empty lines and those that begin with `#` or `;` are skipped.
pub(super) fn read(bytes: &[u8], _: &TracedProgram<'_>) -> Result<RecordedExecution, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut addresses = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let first = line.split([' ', '\t', ':', ',']).next().unwrap_or_default();
        let digits = first.strip_prefix("0x").unwrap_or(first);
        let address = u64::from_str_radix(digits, 16).map_err(|_| {
            format!("line {} does not begin with a hexadecimal address: `{}`", number + 1, shortened(line))
        })?;
        addresses.push(address);
    }
    if addresses.is_empty() {
        return Err("there is no address in it".to_owned());
    }
    Ok(RecordedExecution::InOrder(vec![addresses]))
}

fn shortened(line: &str) -> String {
    line.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: TracedProgram<'_> = TracedProgram { name: "firmware.elf", base: 0 };

    #[test]
    fn addresses_come_first_in_their_lines() {
        let text = "# probe 1\n0x8000040\n8000042: movs r0,#1\n\n0x8000044, 17\n";
        let expected = RecordedExecution::InOrder(vec![vec![0x800_0040, 0x800_0042, 0x800_0044]]);
        assert_eq!(read(text.as_bytes(), &PROGRAM), Ok(expected));
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = read(b"0x10\nhello\n", &PROGRAM).expect_err("no address");
        assert!(error.contains("line 2") && error.contains("hello"), "{error}");
    }
}
