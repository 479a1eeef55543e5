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

/// A function and the register that its only branch depends on, which nothing declares.
const UNDECLARED: [(&str, &[u8], &str, &str); 5] = [
    // test al,al; je end; inc eax; end: ret
    ("x86-64", &[0x84, 0xc0, 0x74, 2, 0xff, 0xc0, 0xc3], "RAX", "RSP = 0x80000"),
    // jc end; nop; end: ret
    ("x86-64", &[0x72, 1, 0x90, 0xc3], "CF", "RSP = 0x80000"),
    // tst r10; beq end; clr r10; end: ret
    ("avr", &[0xaa, 0x20, 0x09, 0xf0, 0xaa, 0x24, 0x08, 0x95], "R11R10", "SP = 0x8ff"),
    // jz end; clr a; end: ret
    ("8051", &[0x60, 1, 0xe4, 0x22], "A", "SP = 0x30"),
    // bcs end; clra; end: rts
    ("6800", &[0x25, 1, 0x4f, 0x39], "CC_C", "SP = 0x8ff"),
];

#[test]
fn a_register_that_nothing_declares_is_an_assumption() {
    for (architecture, code, register, stack) in UNDECLARED {
        let summary = summary(architecture, code, stack);
        let noted = summary.assumptions.iter().find(|noted| noted.kind == "argument");
        let what = noted.map(|noted| noted.message.as_str()).unwrap_or_default();
        assert!(what.contains(&format!("register {register} was")), "{architecture}: {summary:#?}");
        assert!(!summary.complete, "{architecture}: {summary:#?}");
    }
}

/// Functions whose branches do not depend on what the caller leaves in registers.
const DETERMINED: [(&str, &[u8], &str); 2] = [
    // push rbx; xor ebx,ebx; cmp rsp,rbx; je end; end: pop rbx; ret
    ("x86-64", &[0x53, 0x31, 0xdb, 0x48, 0x39, 0xdc, 0x74, 0, 0x5b, 0xc3], "RSP = 0x80000"),
    // tst r1; breq end; nop; end: ret
    ("avr", &[0x11, 0x20, 0x09, 0xf0, 0x00, 0x00, 0x08, 0x95], "SP = 0x8ff"),
];

#[test]
fn what_a_convention_determines_is_no_assumption() {
    for (architecture, code, stack) in DETERMINED {
        let summary = summary(architecture, code, stack);
        assert!(
            summary.assumptions.iter().all(|noted| noted.kind != "argument"),
            "{architecture}: {summary:#?}"
        );
    }
}

/// The summary of a function without arguments.
fn summary(architecture: &str, code: &[u8], stack: &str) -> everypath::Summary {
    let text = format!(
        "registers = {{ {stack} }}\n[call]\nfunction = 0x1000\n[[memory]]\nname = \"stack\"\nstart = 0x70000\nsize = \
         0x10000\naccess = \"rw\"\n"
    );
    let text = if architecture == "x86-64" {
        text
    } else {
        text.split("[[memory]]").next().unwrap_or("").to_owned()
    };
    let configuration = Configuration::parse(&text).expect("a configuration");
    let options = Binary::options().architecture(architecture).raw(0x1000).configuration(configuration);
    let outcome = options.read(code).expect("a function").explore().seconds(20).run();
    outcome.unwrap_or_else(|error| panic!("{architecture}: {error}")).summary().clone()
}
