//! The shape of lifted blocks: parts of an instruction, exits, marks.

use everypath_ir::{Block, ExitKind, Operand, Place, Statement, Target};
use everypath_lift::{Architecture, CodeBytes, Library, Lifter, NotLifted, Options};
use std::sync::Arc;

const START: u64 = 0x1000;

fn load(name: &str) -> Arc<Architecture> {
    Library::built_in().load(name).unwrap_or_else(|error| panic!("{error}"))
}

fn lift_part(architecture: &Arc<Architecture>, bytes: &[u8], part: u16) -> Result<Block, NotLifted> {
    let lifter =
        Lifter::new(architecture.clone()).with_options(Options { instructions: 1, ..Options::default() });
    let code = CodeBytes { address: START, bytes };
    let place = Place { part, ..Place::new(START, architecture.default_context()) };
    lifter.session().block(&code, place)
}

fn lift(name: &str, bytes: &[u8]) -> Block {
    lift_part(&load(name), bytes, 0).unwrap_or_else(|why| panic!("{why}"))
}

/// Kind and, where it is known, target of each exit.
fn exits(block: &Block) -> Vec<(ExitKind, Option<u64>, u16)> {
    let exit = |exit: &everypath_ir::Exit| match exit.target {
        Target::Place(place) => (exit.kind, Some(place.address), place.part),
        Target::Computed { .. } => (exit.kind, None, 0),
    };
    block.exits.iter().map(exit).collect()
}

fn guards(block: &Block) -> Vec<Option<Operand>> {
    block.exits.iter().map(|exit| exit.guard).collect()
}

fn marks(block: &Block) -> Vec<(u64, u8)> {
    block.instructions().collect()
}

#[test]
fn a_loop_inside_an_instruction_gives_parts() {
    let architecture = load("x86-64");
    let enter = [0xc8, 0x10, 0x00, 0x03]; // enter 16, 3
    let parts: Vec<Block> = (0..).map_while(|part| lift_part(&architecture, &enter, part).ok()).collect();
    assert!(parts.len() > 1, "{} parts", parts.len());
    assert_eq!(lift_part(&architecture, &enter, parts.len() as u16), Err(NotLifted::NoSuchPart));
    let targets: Vec<(u16, u16)> = parts
        .iter()
        .flat_map(|block| exits(block).into_iter().map(|(_, _, target)| (block.place.part, target)))
        .collect();
    assert!(targets.iter().any(|(from, to)| *to != 0 && to <= from), "a part leads back: {targets:?}");
    assert!(targets.iter().all(|(_, to)| usize::from(*to) < parts.len()), "{targets:?}");
    assert!(
        parts
            .iter()
            .flat_map(exits)
            .any(|(kind, target, part)| { part == 0 && target == Some(START + 4) && kind != ExitKind::Call }),
        "the instruction is left for the next one"
    );
}

#[test]
fn an_instruction_of_parts_starts_a_block_and_ends_it() {
    let architecture = load("x86-64");
    // mov eax,ecx; enter 16,3; mov eax,ecx
    let code = CodeBytes { address: START, bytes: &[0x89, 0xc8, 0xc8, 0x10, 0x00, 0x03, 0x89, 0xc8, 0xf4] };
    let lifter = Lifter::new(architecture.clone());
    let block = lifter.session().block(&code, Place::new(START, architecture.default_context()));
    let block = block.unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(exits(&block), [(ExitKind::Fall, Some(START + 2), 0)]);
    assert_eq!((block.end, marks(&block)), (START + 2, vec![(START, 2)]));
}

#[test]
fn a_conditional_move_is_no_branch() {
    let cmov = lift("x86-64", &[0x0f, 0x44, 0xc1]);
    assert_eq!(exits(&cmov), [(ExitKind::Fall, Some(START + 3), 0)]);
    let predicated = lift("arm", &[0x04, 0x00, 0x91, 0x05]); // ldreq r0,[r1,#4]
    assert_eq!(exits(&predicated), [(ExitKind::Fall, Some(START + 4), 0)]);
    let is_guarded = |statement: &Statement| matches!(statement, Statement::Load { guard: Some(_), .. });
    assert!(predicated.statements.iter().any(is_guarded), "memory is read under the condition only");
}

#[test]
fn a_repetition_jumps_to_itself() {
    let repeated = lift("x86-64", &[0xf3, 0xa4]);
    let mut found = exits(&repeated);
    found.sort_by_key(|(_, target, _)| *target);
    assert_eq!(found, [(ExitKind::Jump, Some(START), 0), (ExitKind::Fall, Some(START + 2), 0)]);
    assert!(guards(&repeated)[0].is_some() && guards(&repeated)[1].is_none());
}

#[test]
fn a_conditional_return_has_two_exits() {
    let beqlr = lift("powerpc", &[0x4d, 0x82, 0x00, 0x20]);
    let mut found = exits(&beqlr);
    found.sort_by_key(|(_, target, _)| *target);
    assert_eq!(found, [(ExitKind::Return, None, 0), (ExitKind::Fall, Some(START + 4), 0)]);
}

#[test]
fn calls_and_branches_have_their_kinds() {
    let call = lift("x86-64", &[0xe8, 0x0b, 0, 0, 0]);
    assert_eq!(exits(&call), [(ExitKind::Call, Some(START + 16), 0)]);
    assert_eq!(call.end, START + 5);
    let branch = lift("x86-64", &[0x74, 0x0e]);
    assert_eq!(exits(&branch), [(ExitKind::Jump, Some(START + 16), 0), (ExitKind::Fall, Some(START + 2), 0)]);
    let through_register = lift("x86-64", &[0xff, 0xe0]);
    assert_eq!(exits(&through_register), [(ExitKind::Jump, None, 0)]);
}

#[test]
fn a_delay_slot_is_marked_as_an_instruction() {
    let branch = lift("mips", &[0x10, 0x85, 0x00, 0x03, 0x24, 0x84, 0x00, 0x01]);
    assert_eq!(marks(&branch), [(START, 4), (START + 4, 4)]);
    assert_eq!(exits(&branch), [(ExitKind::Jump, Some(START + 16), 0), (ExitKind::Fall, Some(START + 8), 0)]);
    assert_eq!(branch.end, START + 8);
}

#[test]
fn what_is_no_instruction_gives_no_block() {
    let architecture = load("8051");
    assert!(matches!(lift_part(&architecture, &[0xa5], 0), Err(NotLifted::Bad(_))));
    // Further on it ends the block: inc a, and then nothing.
    let code = CodeBytes { address: START, bytes: &[0x04, 0xa5] };
    let lifter = Lifter::new(architecture.clone());
    let block = lifter.session().block(&code, Place::new(START, architecture.default_context()));
    assert_eq!(exits(&block.unwrap_or_else(|why| panic!("{why}"))), [(ExitKind::Fall, Some(START + 1), 0)]);
}

/// Whether an instruction branches must not depend on what identities say of its condition.
#[test]
fn a_register_compared_with_itself_still_branches() {
    let same: [(&str, &[u8]); 5] = [
        ("riscv64", &[0x63, 0x65, 0xe7, 0x00]), // bltu a4,a4
        ("mips", &[0x14, 0x42, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00]), // bne v0,v0
        ("avr", &[0x00, 0x13, 0x00, 0x00]),     // cpse r16,r16
        ("8051", &[0xb5, 0xe0, 0x02]),          // cjne a,ACC
        ("msp430", &[0x01, 0x24]),              // jeq: by a flag
    ];
    for (name, bytes) in same {
        let block = lift(name, bytes);
        assert_eq!(block.exits.len(), 2, "{name}: {:?}", exits(&block));
    }
    // A condition of constants is part of the encoding: the assembler's unconditional branch.
    for (name, bytes) in [("mips", [0x10, 0, 0, 4, 0, 0, 0, 0].as_slice()), ("riscv64", &[0x6f, 0, 0, 1])] {
        assert_eq!(lift(name, bytes).exits.len(), 1, "{name}");
    }
}
