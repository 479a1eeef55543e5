//! Indirect jumps: whether they are fully resolved, and that the result says so if not.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

use everypath_environment::{Configuration, Guest};
use everypath_explore::{Bounds, Criterion, Exploration, Explorer, NoObserver, Plan};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::Library;
use everypath_record::{Judged, Verdict};
use everypath_solve::SolverStack;
use everypath_testkit::guests::{Subject, targets};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(guest: &Guest, configuration: &Configuration, plan: Plan) -> Exploration {
    let explorer = Explorer::new(guest, configuration, plan, SolverStack::default().build());
    explorer.expect("a plan that fits").run(&mut NoObserver)
}

fn is_exact(found: &Exploration) -> bool {
    found.control_flow.is_resolved()
}

#[test]
fn guests_end_as_they_say() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("tests/guests/jumps"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut targets = targets(&root()).expect("targets");
    targets.retain(|target| target.int == 32 && target.is_everywhere() && target.is_installed());
    let mut wrong = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a guest");
        let expected =
            text.lines().find_map(|line| line.strip_prefix("//@ expect: ")).expect("an expectation");
        let exact = match expected {
            "exact" => true,
            "not exact" => false,
            other => panic!("{}: `{other}`", file.display()),
        };
        for target in &targets {
            for level in &target.levels {
                let subject = Subject::compile(file, target, level, "");
                let subject = subject.unwrap_or_else(|error| panic!("{error}"));
                let plan = Plan {
                    criterion: Criterion::Path,
                    bounds: Bounds {
                        targets: 8,
                        paths: 300,
                        path_instructions: 20_000,
                        path_decisions: 200,
                        ..Bounds::default()
                    },
                    ..Plan::default()
                };
                let found = run(&subject.guest, &subject.configuration, plan);
                let name = file.file_stem().expect("a name").to_string_lossy();
                let what = format!("{name} for {} {level}", target.name);
                if is_exact(&found) != exact || !found.divergences.is_empty() {
                    let open: Vec<_> =
                        found.control_flow.indirect_exits.iter().filter(|jump| !jump.resolved).collect();
                    wrong.push(format!(
                        "{what}: {open:?} {:?} {:?}",
                        found.incomplete_reasons, found.divergences
                    ));
                }
                if exact && (!found.findings.is_empty() || !found.is_complete()) {
                    wrong.push(format!("{what}: {:?} {:?}", found.findings, found.incomplete_reasons));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn raw(code: &[u8], architecture: &str, plan: Plan) -> Exploration {
    raw_with(code, architecture, "", plan)
}

fn raw_with(code: &[u8], architecture: &str, cells: &str, plan: Plan) -> Exploration {
    let options =
        ReadOptions { format: ImageFormat::by_name("raw"), base: Some(0x1000), ..ReadOptions::default() };
    let image = Image::read(code.to_vec(), &options).expect("raw code");
    let architecture = Library::built_in().load(architecture).expect("an architecture");
    let guest = Guest::new(architecture, image).expect("a guest");
    let configuration = Configuration::parse(&format!("entry = 0x1000\n{cells}")).expect("a configuration");
    run(&guest, &configuration, plan)
}

#[test]
fn instructions_may_overlap() {
    // A jump into its own second byte, which is `inc eax`; then a jump to itself.
    let found = raw(&[0xeb, 0xff, 0xc0, 0xeb, 0xfe], "x86-64", Plan::default());
    assert!(found.is_complete() && is_exact(&found), "{:?}", found.incomplete_reasons);
    assert_eq!((found.effort.paths, found.findings.len(), found.effort.instructions), (1, 0, 3));
}

#[test]
fn a_changed_return_address_is_a_finding_or_just_a_jump() {
    // jal ra, 12; a word of data; j itself; addi ra, ra, 4; ret
    let code = [
        0xef, 0x00, 0xc0, 0x00, 0xff, 0xff, 0xff, 0xff, 0x6f, 0x00, 0x00, 0x00, 0x93, 0x80, 0x40, 0x00, 0x67,
        0x80, 0x00, 0x00,
    ];
    let found = raw(&code, "riscv32", Plan::default());
    let stated: Vec<&str> = found.findings.iter().map(|finding| finding.oracle.as_str()).collect();
    assert_eq!(stated, ["calls"]);
    let mut plan = Plan::default();
    plan.oracles.retain(|oracle| oracle != "calls");
    let found = raw(&code, "riscv32", plan);
    assert_eq!(found.findings, Vec::new());
    assert!(found.is_complete() && is_exact(&found), "{:?}", found.incomplete_reasons);
    let back = found.control_flow.indirect_exits.iter().find(|jump| jump.kind == "return").expect("a return");
    assert_eq!(back.targets.iter().map(|target| target.0).collect::<Vec<_>>(), [0x1008]);
}

/// `setj` keeps its return address and the stack pointer; `inner`, which `outer` calls, returns with 1 behind the call of `setj`. No
/// call of its call string returns there, but the state arrives there.
const LONG_JUMP: [u8; 108] = [
    // start: lui sp,9; lui s1,8; lui a0,0xa; jal setj; bnez a0,caught; lbu a1,0(s1); jal outer
    0x37, 0x91, 0x00, 0x00, 0xb7, 0x84, 0x00, 0x00, 0x37, 0xa5, 0x00, 0x00, 0xef, 0x00, 0xc0, 0x01, 0x63,
    0x18, 0x05, 0x00, 0x83, 0xc5, 0x04, 0x00, 0xef, 0x00, 0x00, 0x02,
    // done: j done; caught: nop; j done
    0x6f, 0x00, 0x00, 0x00, 0x13, 0x00, 0x00, 0x00, 0x6f, 0xf0, 0x9f, 0xff,
    // setj: sw ra,0(a0); sw sp,4(a0); li a0,0; ret
    0x23, 0x20, 0x15, 0x00, 0x23, 0x22, 0x25, 0x00, 0x13, 0x05, 0x00, 0x00, 0x67, 0x80, 0x00, 0x00,
    // outer: addi sp,sp,-16; sw ra,0(sp); jal inner; lw ra,0(sp); addi sp,sp,16; ret
    0x13, 0x01, 0x01, 0xff, 0x23, 0x20, 0x11, 0x00, 0xef, 0x00, 0x00, 0x01, 0x83, 0x20, 0x01, 0x00, 0x13,
    0x01, 0x01, 0x01, 0x67, 0x80, 0x00, 0x00,
    // inner: li t0,3; bne a1,t0,end; lui a0,0xa; lw ra,0(a0); lw sp,4(a0); li a0,1; end: ret
    0x93, 0x02, 0x30, 0x00, 0x63, 0x9a, 0x55, 0x00, 0x37, 0xa5, 0x00, 0x00, 0x83, 0x20, 0x05, 0x00, 0x03,
    0x21, 0x45, 0x00, 0x13, 0x05, 0x10, 0x00, 0x67, 0x80, 0x00, 0x00,
];

#[test]
fn value_sets_follow_a_return_out_of_nested_calls() {
    let setup = "[[volatile]]\nname = \"cell\"\naddress = 0x8000\nsize = 1\n\
                 [[memory]]\nname = \"ram\"\nstart = 0x8800\nsize = 0x2000\naccess = \"rw\"\n";
    for paths in [1, 100] {
        let plan = Plan { bounds: Bounds { paths, ..Bounds::default() }, ..Plan::default() };
        let found = raw_with(&LONG_JUMP, "riscv32", setup, plan);
        let infeasible =
            found.directions.iter().any(|judged| matches!(judged.verdict, Verdict::Infeasible { .. }));
        assert!(!infeasible, "{paths} paths: {:?}", found.directions);
        let covered = found
            .directions
            .iter()
            .filter(|judged| matches!(judged.verdict, Verdict::Covered { .. }))
            .count();
        assert!(paths == 1 || covered == 4, "{:?}", found.directions);
    }
}

/// The target of a conditional return is a direction, whether or not a path has reached the return.
#[test]
fn a_conditional_return_that_no_path_reached_is_listed() {
    // mov r1, 0x8000; ldrb r0, [r1]; cmp r0, 5; bne done; bl f; done: b done;
    // f: cmp r0, 7; movne pc, lr; mov r0, 1; bx lr
    let code = [
        0x02, 0x19, 0xa0, 0xe3, 0x00, 0x00, 0xd1, 0xe5, 0x05, 0x00, 0x50, 0xe3, 0x00, 0x00, 0x00, 0x1a, 0x00,
        0x00, 0x00, 0xeb, 0xfe, 0xff, 0xff, 0xea, 0x07, 0x00, 0x50, 0xe3, 0x0e, 0xf0, 0xa0, 0x11, 0x01, 0x00,
        0xa0, 0xe3, 0x1e, 0xff, 0x2f, 0xe1,
    ];
    let cell = "[[volatile]]\nname = \"cell\"\naddress = 0x8000\nsize = 1\n";
    let plan = Plan { bounds: Bounds { paths: 1, ..Bounds::default() }, ..Plan::default() };
    let found = raw_with(&code, "arm", cell, plan);
    assert!(!found.is_complete(), "one path is not every path");
    let open: Vec<(u64, u64)> = found
        .directions
        .iter()
        .filter(|judged| matches!(judged.verdict, Verdict::Open { .. }))
        .map(|judged| (judged.direction.branch.0, judged.direction.target.0))
        .collect();
    assert_eq!(open, [(0x100c, 0x1010), (0x101c, 0x1014)], "{:?}", found.control_flow.indirect_exits);
}

/// A conditional trap is no branch. An input that traps is found all the same, though every direction is judged before.
#[test]
fn a_conditional_trap_is_met() {
    // ori t0, zero, 0x8000; lbu v0, 0(t0); addiu v1, zero, 5; teq v0, v1; b .; nop
    let code = [
        0x34, 0x08, 0x80, 0x00, 0x91, 0x02, 0x00, 0x00, 0x24, 0x03, 0x00, 0x05, 0x00, 0x43, 0x00, 0x34, 0x10,
        0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
    ];
    let cell = "[[volatile]]\nname = \"cell\"\naddress = 0x8000\nsize = 1\n";
    for criterion in [Criterion::Branch, Criterion::Instruction, Criterion::Path] {
        let found = raw_with(&code, "mips", cell, Plan { criterion, ..Plan::default() });
        let at: Vec<u64> = found.findings.iter().map(|finding| finding.address.0).collect();
        assert_eq!((found.effort.paths, at), (2, vec![0x100c]), "{criterion:?}");
    }
}

/// The lowest bit of the target selects the instruction set, and the address alone does not tell.
#[test]
fn the_instruction_set_behind_a_jump_is_a_decision() {
    // mov r1, 0x8000; ldrb r0, [r1]; and r0, r0, 1; orr r0, r0, 0x1000; orr r0, r0, 0x18; bx r0; T32: b .
    let code = [
        0x02, 0x19, 0xa0, 0xe3, 0x00, 0x00, 0xd1, 0xe5, 0x01, 0x00, 0x00, 0xe2, 0x01, 0x0a, 0x80, 0xe3, 0x18,
        0x00, 0x80, 0xe3, 0x10, 0xff, 0x2f, 0xe1, 0xfe, 0xe7, 0xfe, 0xe7,
    ];
    let cell = "[[volatile]]\nname = \"cell\"\naddress = 0x8000\nsize = 1\n";
    let found = raw_with(&code, "arm", cell, Plan { criterion: Criterion::Path, ..Plan::default() });
    assert_eq!(found.effort.paths, 2, "{:?}", found.incomplete_reasons);
}

/// A byte of a buffer is uninitialised, and the branch mentions it. If the program never looks there, nothing depends on it.
#[test]
fn uninitialised_memory_that_decides_nothing_costs_nothing() {
    // mov r1, 0x8000; ldrb r0, [r1]; and r0, r0, 3; mov r2, 0x9000; mov r3, 7; strb r3, [r2]; mov r3, 1; strb r3, [r2, 1];
    // strb r3, [r2, 2]; cmp r0, 3; beq done; ldrb r4, [r2, r0]; cmp r4, 7; bne done; mov r5, 1; done: b done
    let code = [
        0x02, 0x19, 0xa0, 0xe3, 0x00, 0x00, 0xd1, 0xe5, 0x03, 0x00, 0x00, 0xe2, 0x09, 0x2a, 0xa0, 0xe3, 0x07,
        0x30, 0xa0, 0xe3, 0x00, 0x30, 0xc2, 0xe5, 0x01, 0x30, 0xa0, 0xe3, 0x01, 0x30, 0xc2, 0xe5, 0x02, 0x30,
        0xc2, 0xe5, 0x03, 0x00, 0x50, 0xe3, 0x03, 0x00, 0x00, 0x0a, 0x00, 0x40, 0xd2, 0xe7, 0x07, 0x00, 0x54,
        0xe3, 0x00, 0x00, 0x00, 0x1a, 0x01, 0x50, 0xa0, 0xe3, 0xfe, 0xff, 0xff, 0xea,
    ];
    // Without the check of the index.
    let mut unchecked = code;
    unchecked[40..44].copy_from_slice(&[0x00, 0xf0, 0x20, 0xe3]);
    let cells = "[[volatile]]\nname = \"cell\"\naddress = 0x8000\nsize = 1\n\
                 [[memory]]\nname = \"ram\"\nstart = 0x9000\nsize = 0x100\naccess = \"rw\"\n";
    for (code, is_complete) in [(code, true), (unchecked, false)] {
        let found = raw_with(&code, "arm", cells, Plan { criterion: Criterion::Path, ..Plan::default() });
        assert_eq!(found.is_complete(), is_complete, "{:?}", found.incomplete_reasons);
        let is_assumed = |reason: &String| reason.contains("uninitialised memory");
        assert_eq!(found.incomplete_reasons.iter().any(is_assumed), !is_complete);
    }
}

/// Wherever uninitialised memory decides something, that is an assumption: in a guard inside an instruction, in an exit
/// that only a second run of the block takes, and in an address in a later block than the read.
#[test]
fn what_uninitialised_memory_decides_is_an_assumption() {
    // ori t0, zero, 0x9000; lbu v0, 0(t0); addiu v1, zero, 5; teq v0, v1; b .; nop
    let trap = "34089000 91020000 24030005 00430034 1000ffff 00000000";
    // mov r1, 0x8000; ldrb r0, [r1]; mov r2, 0x9000; cmp r0, 5; ldreq pc, [r2]; b .
    let target = "0219a0e3 0000d1e5 092aa0e3 050050e3 00f09205 feffffea";
    // mov r2, 0x9000; ldrb r3, [r2]; and r3, r3, 3; mov r1, 0x8000; ldrb r0, [r1]; cmp r0, 5; bne next;
    // next: mov r4, 0x1000; ldrb r5, [r4, r3]; cmp r5, 0; beq next; next: b .
    let address = "092aa0e3 0030d2e5 033003e2 0219a0e3 0000d1e5 050050e3 ffffff1a 014aa0e3 0350d4e7 000055e3 ffffff0a feffffea";
    let cells = "[[volatile]]\nname = \"cell\"\naddress = 0x8000\nsize = 1\n\
                 [[memory]]\nname = \"ram\"\nstart = 0x9000\nsize = 0x100\naccess = \"rw\"\n";
    for (what, architecture, code) in
        [("a trap", "mips", trap), ("a target", "arm", target), ("an address", "arm", address)]
    {
        let digits: Vec<char> = code.chars().filter(|digit| *digit != ' ').collect();
        let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("a byte");
        let code: Vec<u8> = digits.chunks(2).map(byte).collect();
        let found =
            raw_with(&code, architecture, cells, Plan { criterion: Criterion::Path, ..Plan::default() });
        let is_assumed = |reason: &String| reason.contains("uninitialised memory");
        assert!(found.incomplete_reasons.iter().any(is_assumed), "{what}: {:?}", found.incomplete_reasons);
    }
}

/// That values allow no such target of an indirect jump is not confirmed by a solver, so that nothing behind it may be
/// called infeasible on the strength of it.
#[test]
fn code_behind_a_target_that_values_cut_is_open() {
    let file = root().join("tests/guests/jumps/cut_target.c");
    for target in targets(&root()).expect("targets") {
        if target.int != 32 || !target.is_everywhere() || !target.is_installed() {
            continue;
        }
        let subject = Subject::compile(&file, &target, "-O0", "").unwrap_or_else(|error| panic!("{error}"));
        let plan = Plan { bounds: Bounds { paths: 1, ..Bounds::default() }, ..Plan::default() };
        let found = run(&subject.guest, &subject.configuration, plan);
        for Judged { direction, verdict } in &found.directions {
            if let Verdict::Infeasible { evidence, .. } = verdict {
                assert!(!evidence.contains("every path"), "{}: {direction}: {evidence}", target.name);
            }
        }
    }
}

/// The verdict on `jne 0x1020`, which tests a byte that is never written, if one path only is run, past these eight bytes.
fn verdict_behind(operation: [u8; 8]) -> Verdict {
    // mov al,[0x8000]; cmp al,1; jne 0x1013
    let mut code = vec![0x8a, 0x04, 0x25, 0x00, 0x80, 0x00, 0x00, 0x3c, 0x01, 0x75, 0x08];
    code.extend(operation);
    // 0x1013: mov al,[0x9000]; test al,al; jne 0x1020; jmp itself; 0x1020: jmp itself
    code.extend([0x8a, 0x04, 0x25, 0x00, 0x90, 0x00, 0x00, 0x84, 0xc0, 0x75, 0x02, 0xeb, 0xfe, 0xeb, 0xfe]);
    let memory = "[[volatile]]\nname = \"in\"\naddress = 0x8000\n\
                  [[memory]]\nname = \"flag\"\nstart = 0x9000\nsize = 0x2000\naccess = \"rw\"\nbytes = [0]\n";
    let plan = Plan { bounds: Bounds { paths: 1, ..Bounds::default() }, ..Plan::default() };
    let found = raw_with(&code, "x86-64", memory, plan);
    let is_it = |judged: &&Judged| judged.direction.target.0 == 0x1020;
    found.directions.iter().find(is_it).expect("the direction").verdict.clone()
}

#[test]
fn an_operation_without_a_model_on_a_path_that_was_not_run_may_install_handlers() {
    // lidt [0xa000]
    let verdict = verdict_behind([0x0f, 0x01, 0x1c, 0x25, 0x00, 0xa0, 0x00, 0x00]);
    assert!(matches!(verdict, Verdict::Open { .. }), "{verdict:?}");
    let verdict = verdict_behind([0x90; 8]);
    assert!(matches!(verdict, Verdict::Infeasible { .. }), "{verdict:?}");
}

/// A handler that a program writes to its vector is code that no analysis knows: what it may change stays open.
#[test]
fn a_handler_that_the_program_writes_may_change_memory() {
    // mov r1,#0x18; ldr r0,[pc,#0x18]; str r0,[r1] or nop; mov r1,#0x9000; ldrb r2,[r1]; cmp r2,#0; bne 0x1020; b itself; b itself; the handler
    let with_store = |store: [u8; 4]| {
        let mut code = vec![0x18, 0x10, 0xa0, 0xe3, 0x18, 0x00, 0x9f, 0xe5];
        code.extend(store);
        code.extend([0x09, 0x1a, 0xa0, 0xe3, 0x00, 0x20, 0xd1, 0xe5, 0x00, 0x00, 0x52, 0xe3]);
        code.extend([
            0x00, 0x00, 0x00, 0x1a, 0xfe, 0xff, 0xff, 0xea, 0xfe, 0xff, 0xff, 0xea, 0x04, 0xf0, 0x5e, 0xe2,
        ]);
        code
    };
    let memory = "[[memory]]\nname = \"vectors\"\nstart = 0\nsize = 0x40\naccess = \"rwx\"\nbytes = [0]\n\
                  [[memory]]\nname = \"flag\"\nstart = 0x9000\nsize = 0x10\naccess = \"rw\"\nbytes = [0]\n";
    for (store, is_known) in [([0x00, 0x00, 0xa0, 0xe1], true), ([0x00, 0x00, 0x81, 0xe5], false)] {
        let found = raw_with(&with_store(store), "arm", memory, Plan::default());
        // The side of `bne` on which the flag is set.
        let is_it = |judged: &&Judged| {
            judged.direction.branch.0 == 0x1018
                && matches!(judged.verdict, Verdict::Infeasible { .. } | Verdict::Open { .. })
        };
        let verdict = &found.directions.iter().find(is_it).expect("the direction").verdict;
        assert_eq!(matches!(verdict, Verdict::Infeasible { .. }), is_known, "{verdict:?}");
    }
}

/// A handler that is installed for a while only, and removed before the path ends, may have changed memory meanwhile.
#[test]
fn a_handler_that_was_installed_for_a_while_may_have_changed_memory() {
    // lui s1,9; la s0,handler; csrw mtvec,s0; li s2,0x80; csrs mie,s2; csrsi mstatus,8; lui s3,8; lbu s4,0(s3); csrci mstatus,8;
    // csrw mtvec,zero; lbu s5,0(s1); bnez s5,0x1038; j itself; 0x1038: j itself; nop; nop; handler: li s6,1; sb s6,0(s1); mret
    let mut code: [u32; 20] = [
        0x000094b7, 0x00001437, 0x04440413, 0x30541073, 0x08000913, 0x30492073, 0x30046073, 0x000089b7,
        0x0009ca03, 0x30047073, 0x30501073, 0x0004ca83, 0x000a9463, 0x0000006f, 0x0000006f, 0x00000013,
        0x00000013, 0x00100b13, 0x01648023, 0x30200073,
    ];
    let declared = "[[volatile]]\nname = \"in\"\naddress = 0x8000\n\
                    [[memory]]\nname = \"flag\"\nstart = 0x9000\nsize = 0x10\naccess = \"rw\"\nbytes = [0]\n";
    for is_installed in [true, false] {
        if !is_installed {
            code[3] = 0x00000013;
        }
        let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        let found = raw_with(&bytes, "riscv32", declared, Plan::default());
        let is_it = |judged: &&Judged| judged.direction.target.0 == 0x1038;
        let verdict = &found.directions.iter().find(is_it).expect("the direction").verdict;
        assert_eq!(matches!(verdict, Verdict::Open { .. }), is_installed, "{verdict:?}");
    }
}
