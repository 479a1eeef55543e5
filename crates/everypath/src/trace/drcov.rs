//! drcov, the coverage file of DynamoRIO: a table of modules as text, and one of basic blocks as records of eight bytes.

use super::{RecordedExecution, TracedProgram};
use std::collections::{BTreeSet, HashMap};

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
    let modules = modules(&header, program.name)?;
    let rest = &bytes[start..];
    let end = rest.iter().position(|byte| *byte == b'\n').ok_or("the table of basic blocks is cut off")?;
    let count = String::from_utf8_lossy(&rest[marker.len()..end]);
    let count = count.split(' ').next().and_then(|count| count.parse::<usize>().ok());
    let count = count.ok_or("the number of basic blocks is missing")?;
    if rest[end + 1..].starts_with(b"module id") {
        return Err("its table of basic blocks is text; record it without `-dump_text`".to_owned());
    }
    let records = rest[end + 1..].chunks_exact(RECORD);
    if records.len() < count {
        return Err(format!("it should have {count} basic blocks and has {}", records.len()));
    }
    let blocks = records.take(count).filter_map(|record| {
        let offset = u32::from_le_bytes([record[0], record[1], record[2], record[3]]);
        let size = u16::from_le_bytes([record[4], record[5]]);
        let module = modules.get(&u16::from_le_bytes([record[6], record[7]]))?;
        Some((program.base.wrapping_add(*module).wrapping_add(u64::from(offset)), u64::from(size)))
    });
    Ok(RecordedExecution::Unordered(blocks.collect()))
}

/// The numbers of the modules of a program, each with the distance of its start from that of the first: since version 3 of the table,
/// each segment is a module. They are those with its name, or the only one.
fn modules(header: &str, program: &str) -> Result<HashMap<u16, u64>, String> {
    let names = header.lines().find_map(|line| line.strip_prefix("Columns:")).unwrap_or(" id, base");
    let column = |wanted: &[&str]| names.split(',').position(|name| wanted.contains(&name.trim()));
    let start = column(&["start", "base"]).ok_or("its table of modules has no addresses")?;
    let modules = header.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let path = fields.last()?;
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        Some((fields[0].parse::<u16>().ok()?, hexadecimal(fields.get(start)?)?, name.to_owned()))
    });
    let modules: Vec<(u16, u64, String)> = modules.collect();
    let named: Vec<_> = modules.iter().filter(|(.., name)| name == program).collect();
    let own = match (&named[..], &modules[..]) {
        ([], [only]) => vec![only],
        ([], _) => {
            let names: BTreeSet<&str> = modules.iter().map(|(.., name)| name.as_str()).collect();
            let names: Vec<&str> = names.into_iter().collect();
            return Err(format!("none of its modules is called {program}; there are: {}", names.join(", ")));
        }
        (named, _) => named.to_vec(),
    };
    let first = own.iter().map(|(_, start, _)| *start).min().unwrap_or(0);
    Ok(own.into_iter().map(|(number, start, _)| (*number, start - first)).collect())
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
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

    #[test]
    fn each_segment_may_be_a_module() {
        let mut bytes = b"DRCOV VERSION: 3\nDRCOV FLAVOR: drcov\nModule Table: version 5, count 2\n\
            Columns: id, containing_id, start, end, entry, offset, preferred_base, path\n\
            0, 0, 0x7f00, 0x7f80, 0x0, 0x0, 0x0, /tmp/firmware.elf\n1, 0, 0x8000, 0x8100, 0x0, 0x0, 0x0, /tmp/firmware.elf\n"
            .to_vec();
        bytes.extend(b"BB Table: 1 bbs\n");
        bytes.extend([0x40, 0, 0, 0, 6, 0, 1, 0]);
        let program = TracedProgram { name: "firmware.elf", base: 0 };
        assert_eq!(read(&bytes, &program), Ok(RecordedExecution::Unordered(vec![(0x140, 6)])));
    }
}
