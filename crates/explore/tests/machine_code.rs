//! Programs of a few instructions, given by their bytes: the effects of single instructions on volatile cells, code and
//! the stack decide which directions there are.

use everypath_environment::{Configuration, Guest};
use everypath_explore::{Bounds, Criterion, Exploration, Explorer, NoObserver, Plan, replay};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::Library;
use everypath_record::Verdict;
use everypath_solve::SolverStack;

/// The address of the code.
const START: u64 = 0x1000;

/// A program and its expected verdicts and findings.
struct Case {
    name: &'static str,
    architecture: &'static str,
    /// Bytes in hexadecimal; what follows a `;` says what they are.
    code: &'static str,
    configuration: &'static str,
    /// Feasible directions.
    covered: &'static [(u64, u64)],
    /// Infeasible directions.
    infeasible: &'static [(u64, u64)],
    /// Expected findings: oracle and instruction.
    findings: &'static [(&'static str, u64)],
}

/// One byte of input at 0x2000.
const CELL: &str = "
    [[volatile]]
    name = 'in'
    address = 0x2000
";

/// Four bytes of input at 0x2000.
const WIDE_CELL: &str = "
    [[volatile]]
    name = 'in'
    address = 0x2000
    size = 4
";

/// A word of memory at 0x2000, of which byte 2 is input.
const CELL_IN_WORD: &str = "
    [[memory]]
    name = 'data'
    start = 0x2000
    size = 0x100
    access = 'rw'
    contents = true
    [[initial]]
    address = 0x2000
    bytes = [1, 2, 3, 4]
    [[volatile]]
    name = 'in'
    address = 0x2002
";

const CASES: &[Case] = &[
    Case {
        name: "a processor with one instruction set has no code at an address of another one",
        architecture: "cortex-m",
        code: "42 f2 00 00 ; movw r0, #0x2000
               41 f2 10 03 ; movw r3, #0x1010, where bit 0 is clear
               01 78       ; ldrb r1, [r0]
               09 b1       ; cbz r1, 0x1010
               18 47       ; bx r3
               fe e7 fe e7",
        configuration: CELL,
        covered: &[(0x100a, 0x100c), (0x100a, 0x1010)],
        infeasible: &[],
        findings: &[("no-instruction", 0x100c)],
    },
    Case {
        name: "a read-modify-write instruction reads a cell once, whatever its flags are made of",
        architecture: "x86-64",
        code: "80 05 f9 0f 00 00 01 ; addb $1, 0x2000
               73 04                ; jnc 0x100d
               75 01                ; jnz 0x100c, but a sum with a carry is zero
               90 90 eb fe",
        configuration: CELL,
        covered: &[(0x1007, 0x1009), (0x1007, 0x100d), (0x1009, 0x100b)],
        infeasible: &[(0x1009, 0x100c)],
        findings: &[],
    },
    Case {
        name: "a comparison reads a cell once: what is less than five is not five",
        architecture: "msp430",
        code: "f2 90 05 00 00 20 ; cmp.b #5, &0x2000
               02 28             ; jlo 0x100c
               ff 3f ff 3f
               01 20             ; jne 0x1010
               ff 3f ff 3f",
        configuration: CELL,
        covered: &[(0x1006, 0x1008), (0x1006, 0x100c), (0x100c, 0x1010)],
        infeasible: &[(0x100c, 0x100e)],
        findings: &[],
    },
    Case {
        name: "a word that is memory but for one byte is memory but for that byte",
        architecture: "riscv32",
        code: "37 25 00 00 ; lui a0, 2
               83 25 05 00 ; lw a1, 0(a0)
               13 d6 05 01 ; srli a2, a1, 16
               13 76 f6 0f ; andi a2, a2, 255
               93 06 d0 04 ; li a3, 77
               63 1e d6 00 ; bne a2, a3, 0x1030
               13 f6 f5 0f ; andi a2, a1, 255
               93 06 10 00 ; li a3, 1
               63 1a d6 00 ; bne a2, a3, 0x1034
               13 d6 85 01 ; srli a2, a1, 24
               93 06 40 00 ; li a3, 4
               63 14 d6 00 ; bne a2, a3, 0x1034
               6f 00 00 00 6f 00 00 00",
        configuration: CELL_IN_WORD,
        covered: &[(0x1014, 0x1018), (0x1014, 0x1030), (0x1020, 0x1024), (0x102c, 0x1030)],
        infeasible: &[(0x1020, 0x1034), (0x102c, 0x1034)],
        findings: &[],
    },
    Case {
        name: "a return on a condition leaves the frame only where it returns",
        architecture: "powerpc",
        code: "3d 20 00 00 ; lis r9, 0
               88 69 20 00 ; lbz r3, 0x2000(r9)
               48 00 00 09 ; bl 0x1010
               48 00 00 00
               2c 03 00 05 ; cmpwi r3, 5
               4d 82 00 20 ; beqlr
               2c 03 00 07 ; cmpwi r3, 7
               4d 82 00 20 ; beqlr
               4e 80 00 20 ; blr",
        configuration: CELL,
        covered: &[(0x1014, 0x1018), (0x101c, 0x1020)],
        infeasible: &[],
        findings: &[],
    },
    Case {
        name: "a trap on a comparison is asked for beside the paths",
        architecture: "powerpc",
        code: "3d 20 00 00 ; lis r9, 0
               88 69 20 00 ; lbz r3, 0x2000(r9)
               0c 83 00 de ; tweqi r3, 222
               48 00 00 00",
        configuration: CELL,
        covered: &[],
        infeasible: &[],
        findings: &[("trap", 0x1008)],
    },
    Case {
        name: "a trap under a guard is asked for beside the paths",
        architecture: "mips",
        code: "3c 09 00 00 ; lui $9, 0
               91 23 20 00 ; lbu $3, 0x2000($9)
               24 64 ff 77 ; addiu $4, $3, -137
               00 80 01 f4 ; teq $4, $0, 7
               10 00 ff ff 00 00 00 00",
        configuration: CELL,
        covered: &[],
        infeasible: &[],
        findings: &[("trap", 0x100c)],
    },
    Case {
        name: "a division under a predicate is none where the predicate does not hold",
        architecture: "cortex-m",
        code: "4f f4 00 50 ; mov.w r0, #0x2000
               01 78       ; ldrb r1, [r0]
               11 f0 07 01 ; ands r1, r1, #7
               4f f0 64 02 ; mov.w r2, #100
               18 bf       ; it ne
               b2 fb f1 f3 ; udivne r3, r2, r1
               fe e7",
        configuration: CELL,
        covered: &[],
        infeasible: &[],
        findings: &[],
    },
    Case {
        name: "a division without a predicate is one by zero",
        architecture: "cortex-m",
        code: "4f f4 00 50 ; mov.w r0, #0x2000
               01 78       ; ldrb r1, [r0]
               11 f0 07 01 ; ands r1, r1, #7
               4f f0 64 02 ; mov.w r2, #100
               b2 fb f1 f3 ; udiv r3, r2, r1
               fe e7",
        configuration: CELL,
        covered: &[],
        infeasible: &[],
        findings: &[("division-by-zero", 0x100e)],
    },
    Case {
        name: "a quotient that does not fit is a fault",
        architecture: "x86-64",
        code: "8b 04 25 00 20 00 00 ; movl 0x2000, %eax
               99                   ; cltd
               b9 ff ff ff ff       ; movl $-1, %ecx
               f7 f9                ; idivl %ecx: the least number has no opposite
               eb fe",
        configuration: WIDE_CELL,
        covered: &[],
        infeasible: &[],
        findings: &[("trap", 0x100d)],
    },
    Case {
        name: "a quotient that fits is none",
        architecture: "x86-64",
        code: "8b 04 25 00 20 00 00 ; movl 0x2000, %eax
               99                   ; cltd
               b9 07 00 00 00       ; movl $7, %ecx
               f7 f9                ; idivl %ecx
               31 d2                ; xorl %edx, %edx
               f7 f1                ; divl %ecx
               eb fe",
        configuration: WIDE_CELL,
        covered: &[],
        infeasible: &[],
        findings: &[],
    },
    Case {
        name: "code whose bytes are input is every instruction that it can be",
        architecture: "cortex-m",
        code: "4f f4 00 50 ; mov.w r0, #0x2000
               01 78       ; ldrb r1, [r0]
               01 a2       ; adr r2, 0x100c
               11 70       ; strb r1, [r2]
               00 bf
               05 23       ; movs r3, #5, but the number is input
               4d 2b       ; cmp r3, #77
               00 d0       ; beq 0x1014
               fe e7 fe e7",
        configuration: "
            [[memory]]
            name = 'code'
            start = 0x1000
            size = 0x100
            access = 'rwx'
            contents = true
            [[volatile]]
            name = 'in'
            address = 0x2000
        ",
        covered: &[(0x1010, 0x1012), (0x1010, 0x1014)],
        infeasible: &[],
        findings: &[],
    },
    Case {
        name: "a cell with given values stands beside one that is input",
        architecture: "riscv32",
        code: "37 25 00 00 ; lui a0, 2
               83 45 05 00 ; lbu a1, 0(a0)
               03 46 15 00 ; lbu a2, 1(a0)
               93 06 70 00 ; li a3, 7
               63 96 d5 00 ; bne a1, a3, 0x101c
               93 06 a0 02 ; li a3, 42
               63 14 d6 00 ; bne a2, a3, 0x1020
               6f 00 00 00 6f 00 00 00",
        configuration: "
            [[volatile]]
            name = 'fixed'
            address = 0x2000
            values = [7]
            [[volatile]]
            name = 'in'
            address = 0x2001
        ",
        covered: &[(0x1010, 0x1014), (0x1018, 0x101c), (0x1018, 0x1020)],
        infeasible: &[(0x1010, 0x101c)],
        findings: &[],
    },
    Case {
        name: "a return to an address that was pushed is a jump",
        architecture: "8051",
        code: "12 10 05    ; lcall 0x1005
               80 fe
               74 11       ; mov a, #0x11
               c0 e0       ; push a
               74 10       ; mov a, #0x10
               c0 e0       ; push a
               22          ; ret, to 0x1011
               00 00 00
               90 20 00    ; mov dptr, #0x2000
               e0          ; movx a, @dptr
               60 01       ; jz 0x1018
               22          ; ret
               22          ; ret",
        configuration: "
            [[volatile]]
            name = 'in'
            space = 'EXTMEM'
            address = 0x2000
        ",
        covered: &[(0x1015, 0x1017), (0x1015, 0x1018)],
        infeasible: &[],
        findings: &[],
    },
];

fn bytes(code: &str) -> Vec<u8> {
    let lines = code.lines().map(|line| line.split(';').next().unwrap_or_default());
    let words = lines.flat_map(str::split_whitespace);
    words.map(|word| u8::from_str_radix(word, 16).unwrap_or_else(|error| panic!("{word}: {error}"))).collect()
}

fn guest(case: &Case) -> Guest {
    let format = ImageFormat::by_name("raw");
    let options = ReadOptions { format, base: Some(START), entry: Some(START), space: None };
    let image = Image::read(bytes(case.code), &options).expect("an image");
    Guest::new(Library::built_in().load(case.architecture).expect("an architecture"), image).expect("a guest")
}

fn explore(guest: &Guest, configuration: &Configuration, criterion: Criterion, name: &str) -> Exploration {
    let plan = Plan { criterion, bounds: Bounds { paths: 600, ..Bounds::default() }, ..Plan::default() };
    let explorer = Explorer::new(guest, configuration, plan, SolverStack::default().build());
    let found = explorer.expect("a plan that fits").run(&mut NoObserver);
    assert_eq!(found.divergences, Vec::<String>::new(), "{name}");
    for test in &found.tests {
        let replayed = replay(guest, configuration, test).expect("a run");
        assert_eq!(replayed.path, test.path_hash, "{name}: test {} takes another path", test.name);
    }
    found
}

fn check(case: &Case) {
    let Case { name, configuration, .. } = case;
    let guest = guest(case);
    let text = format!("entry = {START:#x}\n{configuration}");
    let configuration = Configuration::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let found = explore(&guest, &configuration, Criterion::Path, name);
    let pairs = |wanted: fn(&Verdict) -> bool| -> Vec<(u64, u64)> {
        let judged = found.directions.iter().filter(|judged| wanted(&judged.verdict));
        judged.map(|judged| (judged.direction.branch.0, judged.direction.target.0)).collect()
    };
    let covered = pairs(|verdict| matches!(verdict, Verdict::Covered { .. }));
    let infeasible = pairs(|verdict| matches!(verdict, Verdict::Infeasible { .. }));
    for direction in case.covered {
        assert!(covered.contains(direction), "{name}: {direction:x?} of {:?}", found.directions);
    }
    for direction in &infeasible {
        assert!(case.infeasible.contains(direction), "{name}: {direction:x?} {:?}", found.directions);
    }
    for direction in case.infeasible {
        assert!(infeasible.contains(direction), "{name}: {direction:x?} of {:?}", found.directions);
    }
    // The faults are found with either criterion.
    for criterion in [Criterion::Path, Criterion::Branch] {
        let found = explore(&guest, &configuration, criterion, name);
        let stated: Vec<(&str, u64)> =
            found.findings.iter().map(|finding| (&*finding.oracle, finding.address.0)).collect();
        assert_eq!(stated, case.findings, "{name}: {criterion:?}");
    }
}

#[test]
fn every_program_has_the_directions_and_findings_that_it_has() {
    for case in CASES {
        check(case);
    }
}

/// A branch depends on uninitialised memory: without the oracle that is no finding, but still an assumption.
#[test]
fn an_oracle_that_is_left_out_changes_no_verdict() {
    let code = "37 25 00 00 ; lui a0, 2
        83 45 05 00 ; lbu a1, 0(a0)
        93 06 70 00 ; li a3, 7
        63 94 d5 00 ; bne a1, a3, 0x1014
        6f 00 00 00 6f 00 00 00";
    let case = Case {
        name: "memory that nothing has written",
        architecture: "riscv32",
        code,
        configuration: "",
        covered: &[],
        infeasible: &[],
        findings: &[],
    };
    let guest = guest(&case);
    // Flash that the file does not fill is uninitialised like RAM: what it holds is not known.
    for (unwritten, access) in [("zero", "rw"), ("input", "rw"), ("zero", "r"), ("input", "r")] {
        let memory = format!("[[memory]]\nname = 'data'\nstart = 0x2000\nsize = 16\naccess = '{access}'\n");
        let text = format!("entry = {START:#x}\nunwritten = '{unwritten}'\n{memory}");
        let configuration = Configuration::parse(&text).expect("a configuration");
        for without in [None, Some("never-written")] {
            let mut plan = Plan { criterion: Criterion::Path, ..Plan::default() };
            plan.oracles.retain(|oracle| Some(oracle.as_str()) != without);
            let explorer = Explorer::new(&guest, &configuration, plan, SolverStack::default().build());
            let found = explorer.expect("a plan that fits").run(&mut NoObserver);
            let what = format!("unwritten = {unwritten}, access = {access}, without {without:?}");
            assert_eq!(found.is_complete(), unwritten == "input", "{what}: {:?}", found.incomplete_reasons);
            let covered =
                |judged: &&everypath_record::Judged| matches!(judged.verdict, Verdict::Covered { .. });
            let closed =
                |judged: &&everypath_record::Judged| matches!(judged.verdict, Verdict::Infeasible { .. });
            let covered = found.directions.iter().filter(covered).count();
            // The test of the finding covers the other direction, too.
            let expected = if unwritten == "input" || without.is_none() { 2 } else { 1 };
            assert_eq!(covered, expected, "{what}: {:?}", found.directions);
            assert_eq!(found.directions.iter().filter(closed).count(), 0, "{what}");
            assert_eq!(found.findings.is_empty(), without.is_some(), "{what}");
        }
    }
}
