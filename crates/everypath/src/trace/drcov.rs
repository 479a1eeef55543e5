//! drcov, the coverage file of DynamoRIO: a table of modules as text, and one of basic blocks as records of eight bytes.

use super::{RecordedExecution, TracedProgram};

/// Size of the record of a block: offset in its module (4 bytes), size and number of the module (2 each), little-endian.
const RECORD: usize = 8;

pub(super) fn fits(bytes: &[u8]) -> bool {
    bytes.starts_with(b"DRCOV VERSION")
}

pub(super) fn read(bytes: &[u8], program: &TracedProgram<'_>) -> Result<RecordedExecution, String> {
    let marker = b"BB Table: ";
    let start = bytes.windows(marker.len()).position(|window| window == marker);
    let start = start.ok_or("it has no table of basic blocks")?;
    let header = String::from_utf8_lossy(&bytes[..start]);
    let module = module(&header, program.name)?;
    let end = bytes[start..]
        .iter()
        .position(|byte| *byte == b'\n')
        .ok_or("the table of basic blocks is cut off")?;
    let count = String::from_utf8_lossy(&bytes[start + marker.len()..start + end]);
    let count = count.split(' ').next().and_then(|count| count.parse::<usize>().ok());
    let count = count.ok_or("the number of basic blocks is missing")?;
    let records = bytes[start + end + 1..].chunks_exact(RECORD);
    if records.len() < count {
        return Err(format!("it should have {count} basic blocks and has {}", records.len()));
    }
    let blocks = records.take(count).filter_map(|record| {
        let offset = u32::from_le_bytes([record[0], record[1], record[2], record[3]]);
        let size = u16::from_le_bytes([record[4], record[5]]);
        let of = u16::from_le_bytes([record[6], record[7]]);
        (of == module).then(|| (program.base.wrapping_add(u64::from(offset)), u64::from(size)))
    });
    Ok(RecordedExecution::Unordered(blocks.collect()))
}

/// The number of the module of a program: the one with its name, or the only one.
fn module(header: &str, program: &str) -> Result<u16, String> {
    let modules = header.lines().filter_map(|line| {
        let (number, rest) = line.split_once(',')?;
        let path = rest.rsplit(',').next()?.trim();
        Some((number.trim().parse::<u16>().ok()?, path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()))
    });
    let modules: Vec<(u16, String)> = modules.collect();
    let named = modules.iter().find(|(_, name)| name == program);
    match (named, &modules[..]) {
        (Some((number, _)), _) | (None, [(number, _)]) => Ok(*number),
        (None, _) => {
            let names: Vec<&str> = modules.iter().map(|(_, name)| name.as_str()).collect();
            Err(format!("none of its modules is called {program}; there are: {}", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(count: usize) -> Vec<u8> {
        let mut bytes = b"DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\nModule Table: version 2, count 2\n\
            Columns: id, base, end, entry, checksum, timestamp, path\n\
            0, 0x0, 0x100, 0x0, 0x0, 0x0, /lib/other.so\n1, 0x8000000, 0x8000100, 0x0, 0x0, 0x0, /tmp/firmware.elf\n"
            .to_vec();
        bytes.extend(format!("BB Table: {count} bbs\n").bytes());
        bytes.extend([0x40, 0, 0, 0, 6, 0, 1, 0, 0x10, 0, 0, 0, 2, 0, 0, 0]);
        bytes
    }

    #[test]
    fn blocks_of_the_program_are_read() {
        let program = TracedProgram { name: "firmware.elf", base: 0x800_0000 };
        assert!(fits(&log(2)));
        assert_eq!(read(&log(2), &program), Ok(RecordedExecution::Unordered(vec![(0x800_0040, 6)])));
        assert!(read(&log(3), &program).is_err_and(|error| error.contains("should have 3")));
        let other = TracedProgram { name: "other.elf", ..program };
        assert!(read(&log(2), &other).is_err_and(|error| error.contains("firmware.elf")));
    }
}
