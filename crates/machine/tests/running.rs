//! Execution of blocks given as text: order of effects, guards, exits, chaining, budgets, faults, and self-modifying
//! code.

use everypath_ir::{Bits, Block, Context, Endian, Layout, Listing, Location, Place, SpaceId, Width, verify};
use everypath_machine::{
    BlockSource, Concrete, ConcreteDomain, End, FaultReason, Isolated, Machine, Missing, Outside,
    Permissions, Region, RunLimits, SourceBlock, State, Trace,
};

const SPACES: &str = "space ram memory little 16\nspace register register little 16\nuser halt\n";

/// Blocks from a listing.
struct Text {
    layout: Layout,
    blocks: Vec<Block>,
    lifted: usize,
}

impl Text {
    fn new(blocks: &str) -> Self {
        let listing = format!("{SPACES}{blocks}").parse::<Listing>().expect("a listing");
        for block in &listing.blocks {
            verify(&listing.layout, block).expect("a verified block");
        }
        Self { layout: listing.layout, blocks: listing.blocks, lifted: 0 }
    }
}

impl BlockSource for Text {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn code_space(&self) -> SpaceId {
        SpaceId(0)
    }

    fn block(
        &mut self,
        place: Place,
        _: bool,
        fetch: &mut dyn FnMut(u64, &mut [u8]) -> usize,
    ) -> Result<SourceBlock, String> {
        self.lifted += 1;
        // The byte at the address selects a block there, as an opcode would.
        let mut opcode = [0];
        fetch(place.address, &mut opcode);
        let mut here = self.blocks.iter().filter(|block| block.place == place);
        let block = here.nth(usize::from(opcode[0])).cloned().ok_or_else(|| "no block".to_owned())?;
        Ok(SourceBlock { block, branching: Vec::new() })
    }

    fn computed_context(&self, flowing: Context, _: &mut dyn FnMut(Location, Width) -> u64) -> Context {
        flowing
    }
}

fn run_with(
    blocks: &str,
    permissions: Permissions,
    budget: u64,
    outside: impl Outside,
) -> (End, Vec<u64>, State, usize) {
    let mut machine: Machine<Text, Concrete> = Machine::new(Text::new(blocks));
    let mut state = State::new(machine.source().layout());
    let memory = state.memory(SpaceId(0)).expect("memory");
    memory.map(Region::memory(0, 0x7fff, permissions));
    let mut domain = ConcreteDomain { state: &mut state, outside };
    let mut trace = Trace::default();
    let limits = RunLimits { stops: [0x40].into(), instructions: budget };
    let (end, _) = machine.run(&mut domain, Place::new(0x10, Context::default()), &limits, &mut trace);
    let lifted = machine.source().lifted;
    (end, trace.addresses, state, lifted)
}

fn run(blocks: &str) -> (End, Vec<u64>, State) {
    let (end, trace, state, _) = run_with(blocks, Permissions::ALL, 1000, Isolated);
    (end, trace, state)
}

fn register(state: &mut State, offset: u64) -> u64 {
    let location = Location { space: SpaceId(1), offset };
    let bits = state.get(location, Width::W16, Endian::Little).expect("registers are never denied");
    bits.to_u64().expect("sixteen bits")
}

const STOPPED: End = End::Exited { address: 0x40, status: 0 };

#[test]
fn a_loop_counts_down_and_leaves() {
    let (end, trace, mut state) = run("block ram 0x10 context 0x0 end 0x11 {
  @0x10+1
    put register[0x0] 0x3:16
    exit fall 0x11
}
block ram 0x11 context 0x0 end 0x13 {
  @0x11+1
    t0:16 = get register[0x0]
    t1:16 = sub t0 0x1:16
    put register[0x0] t1
    t2:16 = get register[0x2]
    t3:16 = add t2 t0
    put register[0x2] t3
  @0x12+1
    t4:1 = ne t1 0x0:16
    exit if t4 jump 0x11
    exit jump 0x40
}");
    assert_eq!(end, STOPPED);
    assert_eq!(trace, [0x10, 0x11, 0x12, 0x11, 0x12, 0x11, 0x12]);
    assert_eq!((register(&mut state, 0), register(&mut state, 2)), (0, 6));
}

#[test]
fn guards_keep_accesses_from_happening() {
    // The addresses are not mapped: an executed access would end the run.
    let (end, _, mut state) = run("block ram 0x10 context 0x0 end 0x11 {
  @0x10+1
    t0:16 = get register[0x0]
    t1:1 = ne t0 0x0:16
    t2:16 = load ram 0x9000:16 if t1
    store ram 0x9000:16 0x1:16 if t1
    t3:16 = add t2 0x7:16
    put register[0x2] t3
    exit jump 0x40
}");
    assert_eq!(end, STOPPED);
    assert_eq!(register(&mut state, 2), 7);
}

#[test]
fn a_fault_names_its_instruction_and_keeps_what_was_done_before() {
    let (end, _, mut state) = run("block ram 0x10 context 0x0 end 0x13 {
  @0x10+1
    put register[0x0] 0x5:16
  @0x11+1
    t0:16 = load ram 0x9000:16
    put register[0x0] t0
  @0x12+1
    exit jump 0x40
}");
    let End::Faulted { address: 0x11, reason: FaultReason::Access { denied, .. } } = end else {
        panic!("{end:?}")
    };
    assert_eq!(denied.address, 0x9000);
    assert_eq!(register(&mut state, 0), 5);
}

#[test]
fn budgets_unknown_places_and_computed_jumps() {
    let (end, trace, _, lifted) = run_with(
        "block ram 0x10 context 0x0 end 0x11 {
  @0x10+1
    exit jump 0x10
}",
        Permissions::CODE,
        50,
        Isolated,
    );
    assert!(matches!(end, End::Exhausted { place, .. } if place.address == 0x10), "{end:?}");
    assert_eq!((trace.len(), lifted), (50, 1));

    let (end, _, _) = run("block ram 0x10 context 0x0 end 0x11 {
  @0x10+1
    t0:16 = get register[0x0]
    t1:16 = add t0 0x20:16
    exit jump [t1]
}");
    assert_eq!(end, End::Faulted { address: 0x20, reason: FaultReason::NoInstruction("no block".into()) });
}

#[test]
fn user_operations_have_models_or_end_the_run() {
    struct Halt;
    impl Outside for Halt {
        fn user(
            &mut self,
            _: &mut State,
            operation: u32,
            arguments: &[Bits],
        ) -> Result<Option<Bits>, everypath_machine::Fault> {
            assert_eq!((operation, arguments), (0, &[Bits::from_u64(3, Width::W16)][..]));
            Ok(Some(Bits::from_u64(0x40, Width::W16)))
        }

        fn device_at(&self, _: Location) -> Option<u32> {
            None
        }

        fn read(&mut self, location: Location, width: Width) -> Result<Bits, everypath_machine::Fault> {
            Isolated.read(location, width)
        }

        fn write(&mut self, location: Location, value: &Bits) -> Result<(), everypath_machine::Fault> {
            Isolated.write(location, value)
        }
    }
    let blocks = "block ram 0x10 context 0x0 end 0x11 {
  @0x10+1
    t0:16 = user halt(0x3:16)
    exit jump [t0]
}";
    assert_eq!(run_with(blocks, Permissions::ALL, 10, Halt).0, STOPPED);
    assert_eq!(run(blocks).0, End::Unmodelled { address: 0x10, missing: Missing::Operation(0) });
}

#[test]
fn code_that_changes_is_lifted_again() {
    // The first block at 0x20 runs while the byte there is 0, the second when it is 1: the byte is written in between.
    let blocks = "block ram 0x10 context 0x0 end 0x11 {
  @0x10+1
    exit jump 0x20
}
block ram 0x20 context 0x0 end 0x21 {
  @0x20+1
    store ram 0x20:16 0x1:8
    exit jump 0x10
}
block ram 0x20 context 0x0 end 0x21 {
  @0x20+1
    put register[0x0] 0x9:16
    exit jump 0x40
}";
    let (end, trace, mut state, lifted) = run_with(blocks, Permissions::ALL, 100, Isolated);
    assert_eq!((end, register(&mut state, 0), lifted), (STOPPED, 9, 3));
    assert_eq!(trace, [0x10, 0x20, 0x10, 0x20]);
}

#[test]
fn wide_values_go_through_registers_and_memory() {
    let (end, _, mut state) = run("block ram 0x10 context 0x0 end 0x11 {
  @0x10+1
    t0:128 = concat 0x1122334455667788:64 0x99aabbccddeeff00:64
    t1:128 = shl t0 0x8:8
    store ram 0x100:16 t1
    t2:128 = load ram 0x100:16
    t3:16 = extract.112 t2
    put register[0x0] t3
    t4:1 = ult t2 t0
    t5:16 = zext t4
    put register[0x2] t5
    t6:128 = select t4 t0 t1
    put register[0x10] t6
    t7:16 = extract.0 t6
    put register[0x4] t7
    exit jump 0x40
}");
    assert_eq!(end, STOPPED);
    assert_eq!([0, 2, 4, 0x10].map(|offset| register(&mut state, offset)), [0x2233, 0, 0, 0]);
}

/// A device that returns increasing numbers and records writes.
#[derive(Default)]
struct Device {
    given: u64,
    got: Vec<u64>,
}

impl Outside for Device {
    fn user(
        &mut self,
        state: &mut State,
        operation: u32,
        arguments: &[Bits],
    ) -> Result<Option<Bits>, everypath_machine::Fault> {
        Isolated.user(state, operation, arguments)
    }

    fn device_at(&self, _: Location) -> Option<u32> {
        Some(0)
    }

    fn read(&mut self, _: Location, width: Width) -> Result<Bits, everypath_machine::Fault> {
        self.given += 1;
        Ok(Bits::from_u64(self.given, width))
    }

    fn write(&mut self, _: Location, value: &Bits) -> Result<(), everypath_machine::Fault> {
        self.got.extend(value.to_u64());
        Ok(())
    }
}

#[test]
fn a_fixed_place_is_a_register_only_if_no_device_is_there() {
    let blocks = "block ram 0x10 context 0x0 end 0x11 {
  @0x10+1
    put ram[0x2000] 0x8:16
    t0:16 = get ram[0x2000]
    put register[0x0] t0
    t1:16 = get ram[0x2000]
    put register[0x2] t1
    put ram[0x2000] 0x9:16
    exit jump 0x40
}";
    for (outside, steps, read, got) in [(true, 6, (1, 2), vec![8, 9]), (false, 3, (8, 8), vec![])] {
        let mut machine: Machine<Text, Concrete> = Machine::new(Text::new(blocks));
        let mut state = State::new(machine.source().layout());
        let memory = state.memory(SpaceId(0)).expect("memory");
        memory.map(Region::memory(0, 0x1fff, Permissions::CODE));
        memory.map(Region { outside, ..Region::memory(0x2000, 0x2001, Permissions::DATA) });
        let mut device = Device::default();
        let mut domain = ConcreteDomain { state: &mut state, outside: &mut device };
        let limits = RunLimits { stops: [0x40].into(), instructions: 10 };
        let start = Place::new(0x10, Context::default());
        assert_eq!(machine.run(&mut domain, start, &limits, &mut Trace::default()).0, STOPPED);
        assert_eq!(machine.known(start).map(|block| block.steps.len()), Some(steps));
        assert_eq!((register(&mut state, 0), register(&mut state, 2)), read);
        assert_eq!(device.got, got);
        let held = state.memory(SpaceId(0)).map(|memory| memory.peek(0x2000));
        assert_eq!(held, Some(if outside { 0 } else { 9 }));
    }
}
