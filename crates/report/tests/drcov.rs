//! Coverage logs of DynamoRIO: read by the definition of the format, they have what the tests execute.

mod samples;

use everypath_record::{Address, ListedBlock};

/// Parses a drcov log: the base of its module, and address and length of each block.
fn parse(log: &[u8]) -> (u64, Vec<(u64, u16)>) {
    let mut rest = log;
    let mut line = || {
        let end = rest.iter().position(|byte| *byte == b'\n').expect("a line");
        let line = std::str::from_utf8(&rest[..end]).expect("text");
        rest = &rest[end + 1..];
        line
    };
    assert_eq!(line(), "DRCOV VERSION: 2");
    assert!(line().starts_with("DRCOV FLAVOR: "));
    assert_eq!(line(), "Module Table: version 2, count 1");
    assert_eq!(line(), "Columns: id, base, end, entry, path");
    let module: Vec<&str> = line().trim_start().split(", ").collect();
    let [id, base, end, entry, path] = module[..] else { panic!("{module:?}") };
    assert_eq!((id, path), ("0", "firmware.elf"));
    let [base, end, _] =
        [base, end, entry].map(|number| u64::from_str_radix(&number[2..], 16).expect("a number"));
    let count: usize = line()
        .strip_prefix("BB Table: ")
        .and_then(|line| line.strip_suffix(" bbs"))
        .expect("a count")
        .parse()
        .expect("a number");
    assert_eq!(rest.len(), 8 * count);
    let blocks = rest.chunks(8).map(|entry| {
        let [a, b, c, d, e, f, g, h] = entry.try_into().expect("8 bytes");
        let (start, length, module) =
            (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]), u16::from_le_bytes([g, h]));
        assert_eq!(module, 0);
        let start = base + u64::from(start);
        assert!(start + u64::from(length) <= end);
        (start, length)
    });
    (base, blocks.collect())
}

#[test]
fn there_is_a_log_of_all_tests_and_one_of_each() {
    let files = samples::small().files("drcov");
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["coverage.drcov", "drcov/0001.drcov", "drcov/0002.drcov"]);
    // The branch, and the instruction that one of its directions skips.
    let (base, first) = parse(&files[1].contents);
    assert_eq!(base, 0xf00);
    assert_eq!(first[..2], [(0x1002, 2), (0x1004, 2)]);
    let (_, second) = parse(&files[2].contents);
    assert_eq!(second[..2], [(0x1002, 2), (0x1008, 4)]);
    let (_, merged) = parse(&files[0].contents);
    assert_eq!(merged[..3], [(0x1002, 2), (0x1004, 2), (0x1008, 4)]);
}

#[test]
fn a_block_is_written_as_far_as_it_is_executed() {
    let mut sample = samples::generated(1, 1, 1);
    let executed = &mut sample.executed[0].instructions;
    *executed = [0x1000, 0x1002, 0x1004, 0x9000].map(|address| (Address(address), 1)).to_vec();
    executed.push((Address(0x1008), 0));
    let (_, blocks) = parse(&sample.report("drcov"));
    // The end of the second block is not executed, nor is the third; no function has the last instruction.
    assert_eq!(blocks, [(0x1000, 4), (0x1004, 2), (0x9000, 1)]);
}

#[test]
fn long_blocks_are_split_and_far_code_left_out() {
    let mut sample = samples::generated(1, 1, 1);
    let mut instruction = sample.listing.functions[0].blocks[0].instructions[0].clone();
    instruction.length = 16;
    let mut instructions = Vec::new();
    for number in 0..5000 {
        instruction.address = Address(0x1000 + number * 16);
        instructions.push(instruction.clone());
    }
    instruction.address = Address(0x1_0000_1000);
    instructions.push(instruction);
    sample.executed[0].instructions = instructions.iter().map(|listed| (listed.address, 1)).collect();
    sample.listing.functions[0].blocks = vec![ListedBlock { instructions, successors: Vec::new() }];
    sample.listing.base = None;
    let (base, blocks) = parse(&sample.report("drcov"));
    assert_eq!(base, 0x1000);
    assert_eq!(
        blocks,
        [(0x1000, 65520), (0x1000 + 65520, 80_000 - 65520)].map(|(start, length)| (start, length as u16))
    );
}
