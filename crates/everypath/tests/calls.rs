//! Functions under test where a call pushes the return address: the function returns to where its run stops.

use everypath::{Binary, Configuration, ExitCode};

/// A function that compares a register with 5 and has two ends, and what its call needs.
struct Function {
    architecture: &'static str,
    code: &'static [u8],
    argument: &'static str,
    stack: &'static str,
}

const FUNCTIONS: [Function; 5] = [
    Function {
        architecture: "x86-64",
        // cmp edi,5; je one; xor eax,eax; ret; one: mov eax,1; ret
        code: &[0x83, 0xff, 5, 0x74, 3, 0x31, 0xc0, 0xc3, 0xb8, 1, 0, 0, 0, 0xc3],
        argument: "RDI",
        stack: "registers = { RSP = 0x80000 }\n[[memory]]\nname = \"stack\"\nstart = 0x70000\nsize = 0x10000\naccess = \"rw\"\n",
    },
    Function {
        architecture: "msp430",
        // cmp #5,r12; jeq end; clr r12; end: ret
        code: &[0x3c, 0x90, 5, 0, 0x01, 0x24, 0x0c, 0x43, 0x30, 0x41],
        argument: "R12",
        stack: "registers = { SP = 0x800 }\n[[memory]]\nname = \"stack\"\nstart = 0x600\nsize = 0x200\naccess = \"rw\"\n",
    },
    Function {
        architecture: "avr",
        // cpi r24,5; breq end; clr r24; end: ret
        code: &[0x85, 0x30, 0x09, 0xf0, 0x88, 0x27, 0x08, 0x95],
        argument: "R24",
        stack: "registers = { SP = 0x8ff }\n",
    },
    Function {
        architecture: "8051",
        // cjne a,#5,other; clr a; ret; other: inc a; ret
        code: &[0xb4, 5, 2, 0xe4, 0x22, 0x04, 0x22],
        argument: "A",
        stack: "",
    },
    Function {
        architecture: "6800",
        // cmpa #5; beq end; clra; end: rts
        code: &[0x81, 5, 0x27, 1, 0x4f, 0x39],
        argument: "A",
        stack: "registers = { SP = 0x8ff }\n",
    },
];

#[test]
fn a_function_returns_where_calls_push_the_return_address() {
    for Function { architecture, code, argument, stack } in FUNCTIONS {
        let text = format!(
            "{stack}[call]\nfunction = 0x1000\n[[input]]\nname = \"argument\"\nregister = \"{argument}\"\n"
        );
        let configuration = Configuration::parse(&text).expect("a configuration");
        let options = Binary::options().architecture(architecture).raw(0x1000).configuration(configuration);
        let binary = options.read(code).expect("a function");
        let outcome =
            binary.explore().seconds(20).run().unwrap_or_else(|error| panic!("{architecture}: {error}"));
        let summary = outcome.summary();
        assert_eq!(summary.exit_code(), ExitCode::Good, "{architecture}: {summary:#?}");
        assert!(summary.complete && summary.findings.is_empty(), "{architecture}: {summary:#?}");
        assert_eq!((summary.directions.len(), outcome.tests().len()), (2, 2), "{architecture}");
        for test in outcome.tests() {
            assert_eq!(test.end, outcome.tests()[0].end, "{architecture}: both return");
            let (replayed, differences) = outcome.replay(test).expect("a replay");
            assert_eq!(replayed.path, test.path_hash, "{architecture}: {differences:?}");
        }
    }
}

#[test]
fn a_call_that_pushes_needs_a_stack() {
    let configuration = Configuration::parse("[call]\nfunction = 0x1000\n").expect("a configuration");
    let options = Binary::options().architecture("x86-64").raw(0x1000).configuration(configuration);
    let error = options.read([0xc3]).expect("a function").explore().run().expect_err("there is no stack");
    assert!(error.to_string().contains("give `RSP` in `registers`"), "{error}");
}

/// A function whose only branch depends on a register that nothing declares, and what the assumption says.
const UNDECLARED: [(&str, &[u8], &str, &str); 14] = [
    // test al,al; je end; inc eax; end: ret
    ("x86-64", &[0x84, 0xc0, 0x74, 2, 0xff, 0xc0, 0xc3], "register RAX was", WIDE_STACK),
    // mov dword ptr [rsp-8],0x5f80; ldmxcsr [rsp-8]; xor eax,eax; je end; end: ret: rounding upwards
    (
        "x86-64",
        &[0xc7, 0x44, 0x24, 0xf8, 0x80, 0x5f, 0, 0, 0x0f, 0xae, 0x54, 0x24, 0xf8, 0x31, 0xc0, 0x74, 0, 0xc3],
        "a mode of floating-point arithmetic in `MXCSR`",
        WIDE_STACK,
    ),
    // fnstcw [rsp-8]; mov word ptr [rsp-10],0x0f7f; fldcw [rsp-10]; fldcw [rsp-8]; xor eax,eax; je end; end: ret: truncation, for a while
    (
        "x86-64",
        &[
            0xd9, 0x7c, 0x24, 0xf8, 0x66, 0xc7, 0x44, 0x24, 0xf6, 0x7f, 0x0f, 0xd9, 0x6c, 0x24, 0xf6, 0xd9,
            0x6c, 0x24, 0xf8, 0x31, 0xc0, 0x74, 0, 0xc3,
        ],
        "a mode of floating-point arithmetic in `FPUControlWord`",
        WIDE_STACK,
    ),
    // mov r1,#0xc00000; mov r2,#0; vmsr fpscr,r1; vmsr fpscr,r2; movs r0,#0; beq end; nop; end: bx lr
    (
        "arm",
        &[
            0x03, 0x15, 0xa0, 0xe3, 0x00, 0x20, 0xa0, 0xe3, 0x10, 0x1a, 0xe1, 0xee, 0x10, 0x2a, 0xe1, 0xee,
            0x00, 0x00, 0xb0, 0xe3, 0x00, 0x00, 0x00, 0x0a, 0x00, 0xf0, 0x20, 0xe3, 0x1e, 0xff, 0x2f, 0xe1,
        ],
        "a mode of floating-point arithmetic in `fpscr`",
        "",
    ),
    // jc end; nop; end: ret
    ("x86-64", &[0x72, 1, 0x90, 0xc3], "register CF was", WIDE_STACK),
    // tst r10; breq end; clr r10; end: ret
    ("avr", &[0xaa, 0x20, 0x09, 0xf0, 0xaa, 0x24, 0x08, 0x95], "register R11R10 was", SMALL_STACK),
    // tst r28; breq end; clr r28; end: ret
    ("avr", &[0xcc, 0x23, 0x09, 0xf0, 0xcc, 0x27, 0x08, 0x95], "register Y was", SMALL_STACK),
    // jz end; clr a; end: ret
    ("8051", &[0x60, 1, 0xe4, 0x22], "register A was", ""),
    // in r18,eind; tst r18; breq end; nop; end: ret
    (
        "avr",
        &[0x2c, 0xb7, 0x22, 0x23, 0x09, 0xf0, 0x00, 0x00, 0x08, 0x95],
        "register mem[0x5c] was",
        SMALL_STACK,
    ),
    // b.eq end; nop; end: ret
    (
        "aarch64",
        &[0x40, 0x00, 0x00, 0x54, 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6],
        "register ZR was",
        "",
    ),
    // mrs r3,cpsr; tst r3,#0x80; beq end; mov r0,#1; end: bx lr
    (
        "arm",
        &[
            0x00, 0x30, 0x0f, 0xe1, 0x80, 0x00, 0x13, 0xe3, 0x00, 0x00, 0x00, 0x0a, 0x01, 0x00, 0xa0, 0xe3,
            0x1e, 0xff, 0x2f, 0xe1,
        ],
        "register `cpsr` was",
        "",
    ),
    // bcs end; clra; end: rts
    ("6800", &[0x25, 1, 0x4f, 0x39], "register CC_C was", SMALL_STACK),
    // vmrs r0,fpscr; tst r0,#0x80000000; beq end; nop; end: bx lr: a flag in the register that also holds modes
    (
        "cortex-m",
        &[0xf1, 0xee, 0x10, 0x0a, 0x10, 0xf0, 0x00, 0x4f, 0x00, 0xd0, 0x00, 0xbf, 0x70, 0x47],
        "register fpscr was",
        "",
    ),
    // bc1t end; nop; nop; end: jr ra; nop
    (
        "mips",
        &[
            0x45, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xe0, 0x00, 0x08,
            0x00, 0x00, 0x00, 0x00,
        ],
        "register fcsr was",
        "",
    ),
];

/// Functions whose only branch depends on status that instructions do not compute, and the system register that stands for it.
const STATUS: [(&str, &[u8], &str, &str); 10] = [
    // stmxcsr [rsp-8]; test byte ptr [rsp-8],1; je end; nop; end: ret
    (
        "x86-64",
        &[0x0f, 0xae, 0x5c, 0x24, 0xf8, 0xf6, 0x44, 0x24, 0xf8, 0x01, 0x74, 0x01, 0x90, 0xc3],
        "the system register `MXCSR_FLAGS` was",
        WIDE_STACK,
    ),
    // fninit; fnstsw ax; test al,1; je end; nop; end: ret
    (
        "x86-64",
        &[0xdb, 0xe3, 0xdf, 0xe0, 0xa8, 0x01, 0x74, 0x01, 0x90, 0xc3],
        "the system register `FPU_STATUS` was",
        WIDE_STACK,
    ),
    // fninit; fnsave [rsp-0x80]; test byte ptr [rsp-0x7c],1; je end; nop; end: ret
    (
        "x86-64",
        &[0xdb, 0xe3, 0xdd, 0x74, 0x24, 0x80, 0xf6, 0x44, 0x24, 0x84, 0x01, 0x74, 0x01, 0x90, 0xc3],
        "the system register `FPU_STATUS` was",
        WIDE_STACK,
    ),
    // fninit; fldz; fnstenv [rsp-0x20]; cmp word ptr [rsp-0x18],-1; je end; nop; end: ret
    (
        "x86-64",
        &[
            0xdb, 0xe3, 0xd9, 0xee, 0xd9, 0x74, 0x24, 0xe0, 0x66, 0x83, 0x7c, 0x24, 0xe8, 0xff, 0x74, 0x01,
            0x90, 0xc3,
        ],
        "the system register `FPUTagWord` was",
        WIDE_STACK,
    ),
    // pushfq; pop rax; test ah,0x30; je end; nop; end: ret
    (
        "x86-64",
        &[0x9c, 0x58, 0xf6, 0xc4, 0x30, 0x74, 0x01, 0x90, 0xc3],
        "the system register `IOPL` was",
        WIDE_STACK,
    ),
    // vmrs r0,fpscr; tst r0,#1; beq end; nop; end: bx lr
    (
        "cortex-m",
        &[0xf1, 0xee, 0x10, 0x0a, 0x10, 0xf0, 0x01, 0x0f, 0x00, 0xd0, 0x00, 0xbf, 0x70, 0x47],
        "the system register `fpscr_flags` was",
        "",
    ),
    // msr fpsr,xzr; mrs x0,fpsr; tbz w0,#0,end; nop; end: ret
    (
        "aarch64",
        &[
            0x3f, 0x44, 0x1b, 0xd5, 0x20, 0x44, 0x3b, 0xd5, 0x40, 0x00, 0x00, 0x36, 0x1f, 0x20, 0x03, 0xd5,
            0xc0, 0x03, 0x5f, 0xd6,
        ],
        "the system register `fpsr` was",
        "",
    ),
    // fsflags zero; frflags a0; andi a0,a0,1; beqz a0,end; nop; end: ret
    (
        "riscv64",
        &[0x73, 0x10, 0x10, 0x00, 0x73, 0x25, 0x10, 0x00, 0x05, 0x89, 0x11, 0xc1, 0x01, 0x00, 0x82, 0x80],
        "the system register `fflags` was",
        "",
    ),
    // cfc1 v0,fcsr; andi v0,v0,4; beqz v0,end; nop; nop; end: jr ra; nop
    (
        "mips",
        &[
            0x44, 0x42, 0xf8, 0x00, 0x30, 0x42, 0x00, 0x04, 0x10, 0x40, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x03, 0xe0, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00,
        ],
        "the system register `fcsr_flags` was",
        "",
    ),
    // mtfsb0 0; mcrfs cr0,0; bge cr0,end; nop; end: blr
    (
        "powerpc",
        &[
            0xfc, 0x00, 0x00, 0x8c, 0xfc, 0x00, 0x00, 0x80, 0x40, 0x80, 0x00, 0x08, 0x60, 0x00, 0x00, 0x00,
            0x4e, 0x80, 0x00, 0x20,
        ],
        "the system register `fp_fx` was",
        "",
    ),
];

const WIDE_STACK: &str = "registers = { RSP = 0x80000 }\n[[memory]]\nname = \"stack\"\nstart = 0x70000\nsize = 0x10000\naccess = \"rw\"\n";
const SMALL_STACK: &str = "registers = { SP = 0x8ff }\n";

#[test]
fn a_register_that_nothing_declares_is_an_assumption() {
    for (architecture, code, said, setup) in UNDECLARED.into_iter().chain(STATUS) {
        let summary = summary(architecture, code, setup);
        let is_noted =
            summary.assumptions.iter().any(|noted| noted.loses_paths && noted.message.contains(said));
        assert!(is_noted && !summary.complete, "{architecture}: {summary:#?}");
        let is_excluded =
            |verdict: &everypath::Verdict| matches!(verdict, everypath::Verdict::Infeasible { .. });
        let excluded = summary.directions.iter().any(|direction| is_excluded(&direction.verdict));
        // The branch behind a change of modes depends on a constant.
        assert!(!excluded || said.contains("a mode of"), "{architecture}: {summary:#?}");
    }
}

/// Functions with two directions that depend on an argument, which is in this register.
const RETURNS: [(&str, &[u8], &str); 3] = [
    // cmp w0,#5; b.ne end; nop; end: ret
    ("aarch64", &[0x1f, 0x14, 0, 0x71, 0x41, 0, 0, 0x54, 0x1f, 0x20, 3, 0xd5, 0xc0, 3, 0x5f, 0xd6], "w0"),
    // cmp r0,#5; bxeq lr; mov r0,#1; bx lr
    ("arm", &[5, 0, 0x50, 0xe3, 0x1e, 0xff, 0x2f, 1, 1, 0, 0xa0, 0xe3, 0x1e, 0xff, 0x2f, 0xe1], "r0"),
    // push {r4,lr}; cmp r0,#5; popeq {r4,pc}; mov r0,#1; pop {r4,pc}
    (
        "arm",
        &[
            0x10, 0x40, 0x2d, 0xe9, 5, 0, 0x50, 0xe3, 0x10, 0x80, 0xbd, 0x08, 1, 0, 0xa0, 0xe3, 0x10, 0x80,
            0xbd, 0xe8,
        ],
        "r0",
    ),
];

#[test]
fn a_function_with_two_returns_is_complete() {
    for (architecture, code, register) in RETURNS {
        let stack = WIDE_STACK.replace("RSP", "sp");
        let setup = format!("{stack}[[input]]\nname = \"argument\"\nregister = \"{register}\"\n");
        let summary = summary(architecture, code, &setup);
        assert!(summary.complete && summary.directions_exact, "{architecture}: {summary:#?}");
        assert_eq!((summary.directions.len(), summary.tests.len()), (2, 2), "{architecture}: {summary:#?}");
    }
}

/// Functions whose branches depend only on what their convention or the configuration determines, and how many directions they
/// take.
const DETERMINED: [(&str, &[u8], &str, usize); 8] = [
    // push rbx; xor ebx,ebx; cmp rsp,rbx; je end; end: pop rbx; ret
    ("x86-64", &[0x53, 0x31, 0xdb, 0x48, 0x39, 0xdc, 0x74, 0, 0x5b, 0xc3], WIDE_STACK, 1),
    // mov dword ptr [rsp-8],0x1f80; ldmxcsr [rsp-8]; xor eax,eax; je end; end: ret: the usual modes
    (
        "x86-64",
        &[0xc7, 0x44, 0x24, 0xf8, 0x80, 0x1f, 0, 0, 0x0f, 0xae, 0x54, 0x24, 0xf8, 0x31, 0xc0, 0x74, 0, 0xc3],
        WIDE_STACK,
        1,
    ),
    // fldz; fldz; fucompp; fnstsw ax; test ah,0x40; je end; nop; end: ret: the flags of a comparison
    (
        "x86-64",
        &[0xd9, 0xee, 0xd9, 0xee, 0xda, 0xe9, 0xdf, 0xe0, 0xf6, 0xc4, 0x40, 0x74, 0x01, 0x90, 0xc3],
        WIDE_STACK,
        1,
    ),
    // vmov.f32 s0,#1.0; vcmp.f32 s0,#0; vmrs r0,fpscr; tst r0,#0x40000000; beq end; nop; end: bx lr
    (
        "cortex-m",
        &[
            0xb7, 0xee, 0x00, 0x0a, 0xb5, 0xee, 0x40, 0x0a, 0xf1, 0xee, 0x10, 0x0a, 0x10, 0xf0, 0x80, 0x4f,
            0x00, 0xd0, 0x00, 0xbf, 0x70, 0x47,
        ],
        "",
        1,
    ),
    // tst r1; breq end; nop; end: ret
    ("avr", &[0x11, 0x20, 0x09, 0xf0, 0x00, 0x00, 0x08, 0x95], SMALL_STACK, 1),
    // cpi r24,5; breq end; nop; end: ret, with 5 in the byte of memory that is r24
    (
        "avr",
        &[0x85, 0x30, 0x09, 0xf0, 0x00, 0x00, 0x08, 0x95],
        "registers = { SP = 0x8ff }\n[[initial]]\nspace = \"mem\"\naddress = 24\nbytes = [5]\n",
        1,
    ),
    // the same with input there
    (
        "avr",
        &[0x85, 0x30, 0x09, 0xf0, 0x00, 0x00, 0x08, 0x95],
        "registers = { SP = 0x8ff }\n[[input]]\nname = \"low\"\nspace = \"mem\"\naddress = 24\n",
        2,
    ),
    // jz end; clr a; end: ret, with input in the register's address
    ("8051", &[0x60, 1, 0xe4, 0x22], "[[input]]\nname = \"acc\"\nspace = \"SFR\"\naddress = 0xe0\n", 2),
];

#[test]
fn what_is_given_or_determined_by_the_convention_is_no_assumption() {
    for (architecture, code, setup, covered) in DETERMINED {
        let summary = summary(architecture, code, setup);
        let is_assumed = summary.assumptions.iter().any(|noted| noted.loses_paths);
        assert!(!is_assumed && summary.divergences.is_empty(), "{architecture}: {summary:#?}");
        let is_covered = |verdict: &everypath::Verdict| matches!(verdict, everypath::Verdict::Covered { .. });
        let count = summary.directions.iter().filter(|direction| is_covered(&direction.verdict)).count();
        assert_eq!(count, covered, "{architecture}: {summary:#?}");
    }
}

/// The summary of a function with this configuration beside its call.
fn summary(architecture: &str, code: &[u8], setup: &str) -> everypath::Summary {
    let text = format!("{setup}[call]\nfunction = 0x1000\n");
    let configuration = Configuration::parse(&text).expect("a configuration");
    let options = Binary::options().architecture(architecture).raw(0x1000).configuration(configuration);
    let outcome = options.read(code).expect("a function").explore().seconds(20).run();
    outcome.unwrap_or_else(|error| panic!("{architecture}: {error}")).summary().clone()
}
