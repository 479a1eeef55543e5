//! LCOV trace files: what they count, and that `genhtml` counts the same.

mod external;
mod samples;

use everypath_record::Address;
use everypath_testkit::programs::installed;
use external::Folder;

/// The records of a file.
fn records<'t>(trace: &'t str, path: &str) -> Vec<&'t str> {
    let mut lines = trace.lines().skip_while(|line| *line != format!("SF:{path}"));
    assert!(lines.next().is_some(), "{path} is not in\n{trace}");
    lines.take_while(|line| *line != "end_of_record").collect()
}

#[test]
fn executions_are_summed_over_tests_and_infeasible_directions_left_out() {
    let mut sample = samples::small();
    let trace = sample.text("lcov");
    let expected = [
        "FN:1,function_0",
        "FNDA:0,function_0",
        "FNF:1",
        "FNH:0",
        // The other direction of this branch is infeasible.
        "BRDA:1,0,0,1",
        "BRDA:2,0,0,0",
        "BRDA:2,0,1,0",
        "BRF:3",
        "BRH:1",
        // Two tests execute the branch three times each.
        "DA:1,6",
        "DA:2,6",
        "LF:2",
        "LH:2",
    ];
    assert_eq!(records(&trace, "/src/module_0.c"), expected);

    // The branches of a line that no test executes.
    for executed in &mut sample.executed {
        executed.instructions.retain(|(address, _)| !(0x1008..0x1010).contains(&address.0));
    }
    let trace = sample.text("lcov");
    let records = records(&trace, "/src/module_0.c");
    for record in ["BRDA:1,0,0,1", "BRDA:2,0,0,-", "BRDA:2,0,1,-", "BRF:3", "BRH:1", "DA:2,0", "LF:2", "LH:1"]
    {
        assert!(records.contains(&record), "{record}: {records:?}");
    }
}

#[test]
fn code_without_source_lines_is_in_an_assembly_listing() {
    let mut sample = samples::small();
    sample.strip();
    // Code that no function has: an executed instruction and a branch.
    sample.executed[0].instructions.push((Address(0x9000), 5));
    sample.suite.summary.directions[7].direction.branch = Address(0x9002);
    let files = sample.files("lcov");
    let trace = String::from_utf8(files[0].contents.clone()).expect("text");
    let records = records(&trace, "firmware.elf.asm");
    assert_eq!(trace.matches("SF:").count(), 1);
    assert_eq!(files[1].path, "firmware.elf.asm");
    let listing = std::str::from_utf8(&files[1].contents).expect("text");
    let line = |address: &str| {
        let line = listing.lines().position(|line| line.split_whitespace().next() == Some(address));
        line.unwrap_or_else(|| panic!("{address} is not in\n{listing}")) + 1
    };
    let expected = [
        format!("FN:{},function_1", line("0x101000")),
        format!("DA:{},6", line("0x1002")),
        format!("DA:{},0", line("0x1006")),
        format!("DA:{},5", line("0x9000")),
        format!("BRDA:{},0,0,1", line("0x1002")),
        format!("BRDA:{},0,0,1", line("0x9002")),
        format!("LF:{}", 2 * 9 + 2),
        "BRF:7".to_owned(),
    ];
    for record in expected {
        assert!(records.contains(&record.as_str()), "{record} is not in\n{trace}");
    }
}

#[test]
fn every_instruction_has_one_line() {
    // Only the returns have no source line: the assembly shows their functions, and counts the returns.
    let files = samples::small().files("lcov");
    let trace = String::from_utf8(files[0].contents.clone()).expect("text");
    let records = records(&trace, "firmware.elf.asm");
    assert_eq!(records.iter().filter(|record| record.starts_with("DA:")).count(), 2);
    assert!(records.contains(&"LF:2") && records.contains(&"FNF:0"), "{records:?}");
    // Two functions that share their code.
    let mut sample = samples::generated(1, 2, 1);
    sample.strip();
    let mut other = sample.listing.functions[0].clone();
    other.name = "other".to_owned();
    sample.listing.functions.push(other);
    let trace = sample.text("lcov");
    assert!(
        trace.contains("\nLF:9\n") && trace.contains("\nBRF:4\n") && trace.contains("\nFNF:2\n"),
        "{trace}"
    );
}

#[test]
fn functions_that_nothing_executes_count() {
    let mut sample = samples::generated(1, 2, 1);
    sample.strip();
    let before = sample.text("lcov");
    sample.listing.unvisited = vec![samples::one_instruction("dead", 0x8000)];
    let after = sample.text("lcov");
    let count = |text: &str, record: &str| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix(record)).expect("a record");
        line.parse().expect("a number")
    };
    for (record, more) in [("LF:", 1), ("FNF:", 1), ("LH:", 0), ("FNH:", 0), ("BRF:", 0)] {
        assert_eq!(count(&after, record), count(&before, record) + more, "{record} {after}");
    }
    assert!(after.contains("\nFNDA:0,dead\n"), "{after}");
}

#[test]
fn a_program_of_which_nothing_is_known_is_an_empty_trace() {
    let mut sample = samples::generated(1, 1, 1);
    sample.listing.functions.clear();
    sample.suite.summary.directions.clear();
    sample.executed.clear();
    let files = sample.files("lcov");
    assert_eq!(files.len(), 1);
    assert!(files[0].contents.is_empty());
}

#[test]
fn genhtml_counts_the_same() {
    if !installed(&["genhtml"]) {
        return;
    }
    for is_stripped in [false, true] {
        let mut sample = samples::small();
        if is_stripped {
            sample.strip();
        }
        let folder = Folder::with_sources(&mut sample);
        folder.write(&sample.files("lcov"));
        let printed =
            folder.run("genhtml", &["--branch-coverage", "--output-directory", "html", "coverage.info"]);
        assert!(printed.contains("(5 of 7 branches)"), "{printed}");
        let lines = if is_stripped { "(12 of 18 lines)" } else { "(6 of 6 lines)" };
        assert!(printed.contains(lines), "{printed}");
        assert!(printed.contains("(0 of 2 functions)"), "{printed}");
        if is_stripped {
            let name = folder.path().file_name().expect("a name").to_string_lossy();
            let listing = folder.read(&format!("html/{name}/firmware.elf.asm.gcov.html"));
            assert!(listing.contains("adds r1,#0x1"), "{listing}");
        }
    }
}
