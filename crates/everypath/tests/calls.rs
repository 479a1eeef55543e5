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
