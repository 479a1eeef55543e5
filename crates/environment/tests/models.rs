//! Models of user operations, on a processor in which each opcode is one user operation.

use everypath_environment::{Configuration, Guest};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::{Architecture, compile_sleigh};
use everypath_machine::{Concrete, ConcreteDomain, End, FaultReason, Machine, Missing, NoWatch, State};
use std::fmt::Write;
use std::fs;
use std::sync::{Arc, Mutex};

/// Opcode n performs the operation `ask<n>(R1, R2, R3)` and stores the result in `R<n>`; from opcode 0x80 on it reads
/// four bytes of memory instead.
fn specification(endian: &str) -> String {
    let mut text = format!(
        "define endian={endian};
define alignment=1;
define space ram type=ram_space size=8 default;
define space register type=register_space size=4;
define register offset=0 size=8 [ R0 R1 R2 R3 R4 R5 R6 R7 PC ];
define token opcode (8) op = (0,7);
:read is op=0x80 {{ tmp:4 = *R0; R7 = zext(tmp); }}
"
    );
    for number in 0..8 {
        let _ = write!(
            text,
            "define pcodeop ask{number};
:ask \"{number}\" is op={number} {{ R{number} = ask{number}(R1, R2, R3:2); }}
"
        );
    }
    text
}

/// The compiler is not thread-safe.
static COMPILING: Mutex<()> = Mutex::new(());

fn architecture(endian: &str, user_operations: &str) -> Arc<Architecture> {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, output) = (folder.path().join("asker.slaspec"), folder.path().join("asker.sla"));
    fs::write(&source, specification(endian)).expect("written");
    {
        let _alone = COMPILING.lock().expect("no check fails while it compiles");
        compile_sleigh(&source, &output).expect("compiled");
    }
    let text = format!(
        "title = \"asker\"\nsleigh = {{ source = \"asker.slaspec\" }}\nregisters = {{ program_counter = \"PC\" }}\n\
         memory = [{{ name = \"ram\", start = 0, size = 256, access = \"rwx\" }}]\n\
         [user_operations]\n{user_operations}"
    );
    let description = toml::from_str(&text).expect("a description");
    let sla = fs::read(output).expect("read");
    Arc::new(Architecture::new("asker", description, &sla).expect("an architecture"))
}

/// Runs opcodes; returns the outcome and the registers.
fn run_on(
    architecture: &Arc<Architecture>,
    opcodes: &[u8],
    registers: [u64; 4],
) -> Result<(End, [u64; 8]), String> {
    let format = ImageFormat::by_name("raw");
    let options = ReadOptions { format, base: Some(0), entry: Some(0), space: None };
    let image = Image::read(opcodes, &options).expect("an image");
    let guest = Guest::new(architecture.clone(), image).expect("a guest");
    let mut configuration = Configuration { budget: Some(opcodes.len() as u64), ..Configuration::default() };
    for (number, value) in registers.into_iter().enumerate() {
        configuration.registers.insert(format!("R{number}"), value);
    }
    let mut state = guest.state(&configuration).expect("a state");
    let outside = guest.world(&configuration).map_err(|error| error.to_string())?;
    let limits = guest.limits(&configuration).expect("limits");
    let entry = guest.entry(&configuration).expect("an entry");
    let mut machine: Machine<&Guest, Concrete> = Machine::new(&guest);
    let mut domain = ConcreteDomain { state: &mut state, outside };
    let (end, _) = machine.run(&mut domain, entry, &limits, &mut NoWatch);
    let value = |state: &mut State, number: usize| {
        let (location, _) = architecture.register(&format!("R{number}")).expect("a register");
        state.read(location.space, location.offset, 8).expect("registers are never denied")
    };
    let values = [0, 1, 2, 3, 4, 5, 6, 7].map(|number| value(&mut state, number));
    Ok((end, values))
}

fn run(user_operations: &str, opcodes: &[u8], registers: [u64; 4]) -> (End, [u64; 8]) {
    run_on(&architecture("little", user_operations), opcodes, registers).expect("a world")
}

fn refusal(user_operations: &str) -> String {
    run_on(&architecture("little", user_operations), &[0], [0; 4]).expect_err("it is refused")
}

#[test]
fn nothing_first_and_constant_give_their_result() {
    let models = "ask4 = 'nothing'\nask5 = 'first'\nask6 = { model = 'constant', value = 0x1234 }";
    let (end, values) = run(models, &[4, 5, 6], [0, 77, 0, 0]);
    assert!(matches!(end, End::Exhausted { .. }), "{end:?}");
    assert_eq!(values[4..7], [0, 77, 0x1234]);
}

#[test]
fn an_operation_without_a_model_ends_the_run_with_its_number() {
    let (end, _) = run("ask0 = 'nothing'", &[0, 3], [0; 4]);
    assert_eq!(end, End::Unmodelled { address: 1, missing: Missing::Operation(3) });
}

#[test]
fn counters_are_one_and_never_stand_still() {
    let models = "'ask*' = { model = 'counter', step = 10 }";
    let (_, values) = run(models, &[4, 5, 4, 6], [0; 4]);
    assert_eq!(values[4..7], [20, 10, 30]);
}

#[test]
fn traps_and_stops_end_the_run_with_their_own_reason() {
    let models = "ask0 = 'trap'\nask1 = { model = 'trap', number = 6 }\nask2 = 'stop'";
    let faulted = |number| End::Faulted { address: 0, reason: FaultReason::Trap(Some(number)) };
    assert_eq!(run(models, &[0], [0, 3, 0, 0]).0, faulted(3));
    assert_eq!(run(models, &[1], [0, 3, 0, 0]).0, faulted(6));
    assert_eq!(run(models, &[2], [0; 4]).0, End::Exited { address: 0, status: 0 });
}

#[test]
fn a_system_call_says_its_number() {
    let ended = |models, registers| run(models, &[4], registers).0;
    let called = |number| End::Unmodelled { address: 0, missing: Missing::SystemCall(Some(number)) };
    assert_eq!(ended("ask4 = 'system call'", [9, 3, 0, 0]), called(3));
    assert_eq!(ended("ask4 = { model = 'system call', number = 'R0' }", [9, 3, 0, 0]), called(9));
}

#[test]
fn an_exclusive_store_succeeds_once_after_its_load() {
    let models = "ask0 = 'exclusive load'\nask4 = 'exclusive store'\nask5 = 'exclusive store'\n\
                  ask6 = 'exclusive store'\nask7 = 'exclusive clear'";
    let address = [0, 0x40, 0, 0];
    assert_eq!(run(models, &[0, 4, 5], address).1[4..6], [1, 0]);
    assert_eq!(run(models, &[0, 7, 4], address).1[4], 0);
    assert_eq!(run(models, &[4, 0, 5, 0, 6], address).1[4..7], [0, 1, 1]);
}

#[test]
fn a_table_answers_by_arguments_and_registers() {
    let models = "ask4 = { model = 'table', registers = ['R0'], answers = [\
                  { to = [7, 0, 0, 1], is = [0x11] }, { to = [7], is = [0x22, 0x33] }] }";
    assert_eq!(run(models, &[4], [1, 7, 0, 0]).1[4], 0x11);
    assert_eq!(run(models, &[4], [2, 7, 0, 0]).1[4], 0x33_0000_0022);
    assert_eq!(run(models, &[4], [1, 8, 0, 0]).1[4], 0);
}

#[test]
fn a_table_in_memory_is_read_in_the_order_of_the_processor() {
    let models = "ask0 = { model = 'table', at = 0x7000, answers = [{ to = [1], is = [0x01020304, 5] }] }";
    for endian in ["little", "big"] {
        let architecture = architecture(endian, models);
        let (end, values) = run_on(&architecture, &[0, 0x80], [0, 1, 0, 0]).expect("a world");
        assert!(matches!(end, End::Exhausted { .. }), "{end:?}");
        assert_eq!((values[0], values[7]), (0x7000, 0x0102_0304), "{endian}");
    }
}

#[test]
fn wrong_models_and_parameters_are_refused() {
    assert!(refusal("ask0 = 'nonsense'").contains("`nonsense`"));
    assert!(refusal("ask0 = { model = 'nothing', value = 1 }").contains("value"));
    assert!(refusal("ask0 = 'constant'").contains("value"));
    assert!(refusal("ask0 = { model = 'system call', number = 'R99' }").contains("`R99`"));
    assert!(refusal("ask0 = { model = 'table', size = 9, answers = [] }").contains("size"));
    let wide = "ask0 = { model = 'table', size = 8, answers = [{ to = [], is = [1,2,3,4,5,6,7,8,9] }] }";
    assert!(refusal(wide).contains("64 bytes"));
}
