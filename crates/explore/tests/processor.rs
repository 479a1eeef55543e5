//! Values that the processor itself supplies: counters, identification, interrupts. A direction that depends on them is
//! open, and an assumption says so. Programs of a few instructions, given by their bytes.

use everypath_environment::{Configuration, Guest};
use everypath_explore::{Criterion, Explorer, NoObserver, Plan};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::Library;
use everypath_record::Verdict;
use everypath_solve::SolverStack;

/// A program with one branch, and the kind of the assumption that decides it.
struct Case {
    name: &'static str,
    architecture: &'static str,
    base: u64,
    /// Bytes in hexadecimal, with gaps for readability.
    code: &'static str,
    kind: &'static str,
}

const CASES: &[Case] = &[
    Case {
        name: "rdtsc; test $1, %al; jne",
        architecture: "x86-64",
        base: 0x1000,
        code: "0f31 a801 7502 ebfe ebfe",
        kind: "processor",
    },
    Case {
        name: "rdtscp; test %ecx, %ecx; jne: the number of the processor",
        architecture: "x86-64",
        base: 0x1000,
        code: "0f01f9 85c9 7502 ebfe ebfe",
        kind: "processor",
    },
    Case {
        name: "mrs x1, cntvct_el0; cbnz x1",
        architecture: "aarch64",
        base: 0x1000,
        code: "41e03bd5 410000b5 00000014 00000014",
        kind: "processor",
    },
    Case {
        name: "mftb r3; cmpwi r3, 0; bne",
        architecture: "powerpc",
        base: 0x1000,
        code: "7c6c42e6 2c030000 40820008 48000000 48000000",
        kind: "processor",
    },
    Case {
        name: "mfpvr r3; cmpwi r3, 0; bne",
        architecture: "powerpc",
        base: 0x1000,
        code: "7c7f42a6 2c030000 40820008 48000000 48000000",
        kind: "processor",
    },
    Case {
        name: "rdtime a0; bnez a0",
        architecture: "riscv64",
        base: 0x1000,
        code: "732510c0 63140500 6f000000 6f000000",
        kind: "processor",
    },
    Case {
        name: "mfc0 $2, Count; bnez $2",
        architecture: "mips",
        base: 0x1000,
        code: "40024800 00000000 14400003 00000000 1000ffff 00000000 1000ffff 00000000",
        kind: "processor",
    },
    Case {
        name: "a store-exclusive that fails, because an interrupt has taken the reservation",
        architecture: "cortex-m",
        base: 0x1000,
        // movw r1, #0x2000; movt r1, #0x2000; ldrex r2, [r1]; strex r3, r2, [r1]; cbnz r3
        code: "42f20001 c2f20001 51e8002f 41e80023 03b9 fee7 fee7",
        kind: "processor",
    },
    Case {
        name: "a handler in its vector slot: mov 0x30, #1; reti",
        architecture: "8051",
        base: 0,
        // ljmp 0x10, filler, the handler at 0x0b, then mov a, 0x30; jnz
        code: "020010 ff ff ff ff ff ff ff ff 753001 32 ff e530 7002 80fe 80fe",
        kind: "interrupt",
    },
    Case {
        name: "a decrementer that is written and read in one block: mtdec r3; mfdec r4; cmpwi r4, 50; blt",
        architecture: "powerpc",
        base: 0x1000,
        code: "38600064 7c7603a6 7c9602a6 2c040032 41800008 48000000 48000000",
        kind: "processor",
    },
    Case {
        name: "a device control register: mfdcr r3, 0xc0; cmpwi r3, 5; beq",
        architecture: "powerpc",
        base: 0x1000,
        code: "7c603286 2c030005 41820008 48000000 48000000",
        kind: "processor",
    },
    Case {
        name: "rdhwr $3, $2; beqz $3",
        architecture: "mips",
        base: 0x1000,
        code: "7c03103b 00000000 10600003 00000000 1000ffff 00000000 1000ffff 00000000",
        kind: "processor",
    },
    Case {
        name: "xor %ecx, %ecx; xgetbv; cmp $7, %eax; je",
        architecture: "x86-64",
        base: 0x1000,
        code: "31c9 0f01d0 83f807 7402 ebfe ebfe",
        kind: "processor",
    },
    Case {
        name: "a store-conditional: sc.w a0, a0, (a1); bnez a0",
        architecture: "riscv64",
        base: 0x1000,
        code: "2fa5a518 63140500 6f000000 6f000000",
        kind: "processor",
    },
    Case {
        name: "a register that a reset leaves undefined: bnez a0",
        architecture: "riscv64",
        base: 0x1000,
        code: "63140500 6f000000 6f000000",
        kind: "register",
    },
    Case {
        name: "a register that a reset leaves undefined: cbz r3",
        architecture: "cortex-m",
        base: 0x1000,
        code: "03b1 fee7 fee7",
        kind: "register",
    },
    Case {
        name: "a register that compiled code expects to be zero, at the entry of the reset: tst r1; brne",
        architecture: "avr",
        base: 0,
        code: "1120 09f4 ffcf ffcf",
        kind: "register",
    },
    Case {
        name: "a flag that a reset leaves undefined: bcs",
        architecture: "6800",
        base: 0x1000,
        code: "2502 20fe 20fe",
        kind: "register",
    },
    Case {
        name: "the stack pointer, which nothing has set: beqz sp",
        architecture: "riscv64",
        base: 0x1000,
        code: "63040100 6f000000 6f000000",
        kind: "register",
    },
    Case {
        name: "a handler that changes a register: inc r2; reti",
        architecture: "avr",
        base: 0,
        // rjmp main; rjmp handler; the handler; main: tst r2; brne
        code: "03c0 00c0 2394 1895 2220 09f4 ffcf ffcf",
        kind: "interrupt",
    },
];

fn bytes(code: &str) -> Vec<u8> {
    let digits: Vec<char> = code.chars().filter(|digit| !digit.is_whitespace()).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("a byte");
    digits.chunks(2).map(byte).collect()
}

#[test]
fn a_direction_that_the_processor_decides_is_open() {
    for Case { name, architecture, base, code, kind } in CASES {
        let format = ImageFormat::by_name("raw");
        let options = ReadOptions { format, base: Some(*base), entry: Some(*base), space: None };
        let image = Image::read(bytes(code), &options).expect("an image");
        let architecture = Library::built_in().load(architecture).expect("an architecture");
        let guest = Guest::new(architecture, image).expect("a guest");
        let configuration = Configuration::parse(&format!("entry = {base:#x}\n")).expect("a configuration");
        for criterion in [Criterion::Path, Criterion::Branch] {
            let plan = Plan { criterion, ..Plan::default() };
            let explorer = Explorer::new(&guest, &configuration, plan, SolverStack::default().build());
            let found = explorer.expect("a plan that fits").run(&mut NoObserver);
            assert_eq!(found.divergences, Vec::<String>::new(), "{name}");
            for judged in &found.directions {
                assert!(!matches!(judged.verdict, Verdict::Infeasible { .. }), "{name}: {judged:?}");
            }
            assert!(!found.is_complete(), "{name}");
            let assumptions = found.ledger.assumptions();
            assert!(assumptions.iter().any(|one| one.kind == *kind), "{name}: {assumptions:?}");
        }
    }
}
