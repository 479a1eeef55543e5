//! One instruction accesses each memory operand once, however many flags depend on it, and not before its condition.

use everypath_ir::{Block, Context, Place, SpaceKind, Statement};
use everypath_lift::{CodeBytes, Library, Lifter, Options};
use everypath_sleigh::DecodingContext;

const START: u64 = 0x1000;

fn lift(name: &str, bytes: &[u8]) -> (Block, usize, usize) {
    lift_in(name, &[], bytes)
}

/// An instruction where fields of the context have these values, and the number of its reads and writes of memory.
fn lift_in(name: &str, fields: &[(&str, u128)], bytes: &[u8]) -> (Block, usize, usize) {
    let architecture = Library::built_in().load(name).unwrap_or_else(|error| panic!("{error}"));
    let options = Options { instructions: 1, ..Options::default() };
    let lifter = Lifter::new(architecture.clone()).with_options(options);
    let mut context = DecodingContext(architecture.default_context().0);
    for (field, value) in fields {
        let set = architecture.specification().set_context_field(&mut context, field, *value);
        set.unwrap_or_else(|error| panic!("{error}"));
    }
    let place = Place::new(START, Context(context.0));
    let block = lifter.session().block(&CodeBytes { address: START, bytes }, place);
    let block = block.unwrap_or_else(|why| panic!("{name} {bytes:x?}: {why}"));
    let is_memory = |space| architecture.layout().space(space).is_some_and(|it| it.kind == SpaceKind::Memory);
    let (mut reads, mut writes) = (0, 0);
    for statement in &block.statements {
        match statement {
            Statement::Load { .. } => reads += 1,
            Statement::Store { .. } => writes += 1,
            Statement::Get { location, .. } if is_memory(location.space) => reads += 1,
            Statement::Put { location, .. } if is_memory(location.space) => writes += 1,
            _ => {}
        }
    }
    (block, reads, writes)
}

/// Architecture, instruction, its bytes, and the processor's number of reads and writes of memory.
const CASES: &[(&str, &str, &[u8], usize, usize)] = &[
    ("x86-64", "addb $1, 0x100(%rip)", &[0x80, 0x05, 0, 1, 0, 0, 1], 1, 1),
    ("x86-64", "orb $1, 0x100(%rip)", &[0x80, 0x0d, 0, 1, 0, 0, 1], 1, 1),
    ("x86-64", "subb $1, (%rax)", &[0x80, 0x28, 1], 1, 1),
    ("x86-64", "adcb $1, 4(%rax,%rbx)", &[0x80, 0x54, 0x18, 4, 1], 1, 1),
    ("x86-64", "addb (%rax), %cl", &[0x02, 0x08], 1, 0),
    ("x86-64", "adcb (%rax), %cl", &[0x12, 0x08], 1, 0),
    ("x86-64", "shlb (%rax)", &[0xd0, 0x20], 1, 1),
    ("x86-64", "shlb %cl, (%rax)", &[0xd2, 0x20], 1, 1),
    ("x86-64", "cmpb $1, (%rax)", &[0x80, 0x38, 1], 1, 0),
    ("x86-64", "lock addb $1, (%rax)", &[0xf0, 0x80, 0x00, 1], 1, 1),
    ("x86-64", "pushq (%rsp)", &[0xff, 0x34, 0x24], 1, 1),
    ("x86-64", "movsb", &[0xa4], 1, 1),
    ("x86-64", "cmpsb", &[0xa6], 2, 0),
    ("msp430", "add.b #1, &0x1234", &[0xd2, 0x53, 0x34, 0x12], 1, 1),
    ("msp430", "cmp.b #5, &0x1234", &[0xf2, 0x90, 0x05, 0x00, 0x34, 0x12], 1, 0),
    ("msp430", "xor.b #1, &0x1234", &[0xd2, 0xe3, 0x34, 0x12], 1, 1),
    ("msp430", "rra.b &0x1234", &[0x52, 0x11, 0x34, 0x12], 1, 1),
    ("msp430", "sub.b &0x1234, r15", &[0x5f, 0x82, 0x34, 0x12], 1, 0),
    ("powerpc", "lwbrx r3,0,r4", &[0x7c, 0x60, 0x24, 0x2c], 1, 0),
    ("powerpc", "lhbrx r3,0,r4", &[0x7c, 0x60, 0x26, 0x2c], 1, 0),
    ("powerpc", "lmw r30,0(r1)", &[0xbb, 0xc1, 0, 0], 2, 0),
    ("cortex-m", "ldrb r0,[r1]", &[0x08, 0x78], 1, 0),
];

#[test]
fn an_instruction_accesses_its_operand_once() {
    let mut wrong = Vec::new();
    for (name, text, bytes, reads, writes) in CASES {
        let (_, found_reads, found_writes) = lift(name, bytes);
        if (found_reads, found_writes) != (*reads, *writes) {
            wrong.push(format!("{name} `{text}`: {found_reads} reads, {found_writes} writes"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_table_of_branches_is_read_only_if_the_condition_of_its_block_holds() {
    for (text, last) in [("tbbeq [pc,r0]", 0x00), ("tbheq [pc,r0,lsl #1]", 0x10)] {
        let block = lift_in("cortex-m", &[("cond_full", 0), ("cond_mask", 8)], &[0xdf, 0xe8, last, 0xf0]).0;
        let is_guarded = |statement: &Statement| match statement {
            Statement::Load { guard, .. } => Some(guard.is_some()),
            _ => None,
        };
        let loads: Vec<bool> = block.statements.iter().filter_map(is_guarded).collect();
        assert_eq!(loads, [true], "{text}");
    }
}
