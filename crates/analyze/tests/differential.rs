//! What runs do, against what the static side says: every instruction and edge of a run is in the graph, and every register
//! holds at every block what its static value says, relative to the entry of the function.

use everypath_analyze::{
    Bounds, EdgeKind, FunctionId, Graph, Program, Settings, Start, State as Abstract, Symbol, Trust, Unsaid,
    Value, Values,
};
use everypath_environment::{Configuration, Guest};
use everypath_image::{Image, ReadOptions};
use everypath_ir::{Exit, ExitKind, Location, Place, SpaceKind, Width, Word};
use everypath_lift::Library;
use everypath_machine::{At, Concrete, ConcreteDomain, Machine, State, Watch};
use everypath_testkit::guests::{Target, build, targets};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// How many instructions of each run are looked at.
const INSTRUCTIONS: u64 = 6000;
/// How many runs of each guest, with different input.
const RUNS: u64 = 3;

#[derive(Default)]
struct Seen {
    instructions: Vec<u64>,
    left: Option<(ExitKind, u64)>,
}

impl Watch for Seen {
    const INSTRUCTIONS: bool = true;

    fn instruction(&mut self, address: u64) {
        self.instructions.push(address);
    }

    fn exit(&mut self, _: Place, exit: &Exit, to: u64) {
        self.left = Some((exit.kind, to));
    }
}

/// A function that is running, and what was there when it was entered.
struct Frame {
    function: Option<FunctionId>,
    entry: State,
}

struct Check<'c> {
    program: &'c Program<'c>,
    graph: &'c Graph,
    values: &'c Values,
    registers: Vec<(Location, Width)>,
    compared: u64,
    /// Those comparisons in which the static side says anything at all.
    telling: u64,
}

fn number(state: &mut State, program: &Program<'_>, location: Location, width: Width) -> Option<u64> {
    let space = &program.architecture().layout().spaces[usize::from(location.space.0)];
    let size = width.bytes();
    if size > 8 {
        return None;
    }
    if space.kind == SpaceKind::Memory {
        let memory = state.memory(location.space)?;
        let bytes: Vec<u8> =
            (0..size as u64).map(|at| memory.peek(location.offset.wrapping_add(at))).collect();
        return Some(space.endian.number(&bytes));
    }
    state.read(location.space, location.offset, size).ok()
}

impl Check<'_> {
    /// What a static value is, given what was there at the entry; `None` if it depends on more than a test can know.
    fn contains(&self, value: &Value, concrete: u64, frame: &mut Frame) -> Option<bool> {
        let width = value.width();
        let base = match value.base {
            None => 0,
            Some(Symbol::Register(location, width)) => {
                number(&mut frame.entry, self.program, location, width)?
            }
            Some(Symbol::Cell { space, distance, width }) => {
                let (location, pointer) = self.values.bounds().stack_pointer?;
                let stack = number(&mut frame.entry, self.program, location, pointer)?;
                let offset = stack.wrapping_add_signed(distance).truncate(pointer);
                number(&mut frame.entry, self.program, Location { space, offset }, width)?
            }
        };
        Some(value.number.contains(concrete.wrapping_sub(base).truncate(width)))
    }

    fn block(&mut self, place: Place, state: &mut State, frame: &mut Frame) -> Result<(), String> {
        let Some(block) = self.graph.find_anyhow(place) else { return Ok(()) };
        let Some(function) = frame.function else { return Ok(()) };
        if self.values.given_up().contains(&function) {
            return Ok(());
        }
        let known = self.values.before(block).iter().find(|(owner, _)| *owner == function);
        let Some((_, held)) = known else {
            return Err(format!("the block at {:#x} was run, and is said not to be reached", place.address));
        };
        let held: Abstract = held.clone();
        let layout = self.program.architecture().layout();
        for (location, width) in self.registers.clone() {
            let value = held.place(layout, location, width);
            let Some(concrete) = number(state, self.program, location, width) else { continue };
            self.compared += 1;
            self.telling += u64::from(!value.is_unknown());
            if self.contains(&value, concrete, frame) == Some(false) {
                let name = self.program.architecture().register_name(location, width).unwrap_or("?");
                return Err(format!(
                    "{name} at {:#x} is {concrete:#x}, and is said to be {value:?}",
                    place.address
                ));
            }
        }
        Ok(())
    }
}

fn one_run(check: &mut Check<'_>, guest: &Guest, configuration: &Configuration) -> Result<(), String> {
    let graph = check.graph;
    let wrong = |error: everypath_environment::GuestError| error.to_string();
    let mut state = guest.state(configuration).map_err(wrong)?;
    let world = guest.world(configuration).map_err(wrong)?;
    let start = guest.entry(configuration).map_err(wrong)?;
    let stops = guest.limits(configuration).map_err(wrong)?.stops;
    let mut machine: Machine<&Guest, Concrete> = Machine::new(guest);
    let mut frames = vec![Frame { function: graph.function_at(start), entry: state.fork() }];
    let mut domain = ConcreteDomain { state: &mut state, outside: world };
    let mut at = At::new(start);
    let mut done = 0;
    while done < INSTRUCTIONS && !stops.contains(&at.place.address) {
        let Some(frame) = frames.last_mut() else { return Ok(()) };
        check.block(at.place, domain.state, frame)?;
        let mut seen = Seen::default();
        let place = at.place;
        let stepped = machine.step(&mut domain, at, u64::MAX, &mut seen);
        for address in &seen.instructions {
            if graph.containing_anyhow(Place::new(*address, place.context)).is_none() {
                return Err(format!("the instruction at {address:#x} was run, and is not in the graph"));
            }
        }
        let Ok(stepped) = stepped else { return Ok(()) };
        let (kind, _) = seen.left.ok_or("a block was left without a word")?;
        let to = stepped.to.place;
        edge(graph, place, seen.instructions.last().copied(), kind, to)?;
        match kind {
            ExitKind::Call => {
                frames.push(Frame { function: graph.function_at(to), entry: domain.state.fork() });
            }
            ExitKind::Return => {
                frames.pop();
            }
            ExitKind::Jump | ExitKind::Fall => {
                let last = frames.last().and_then(|frame| frame.function);
                let entered = graph.function_at(to).filter(|function| Some(*function) != last);
                if let Some(function) = entered {
                    frames.pop();
                    frames.push(Frame { function: Some(function), entry: domain.state.fork() });
                }
            }
        }
        done += stepped.instructions;
        at = stepped.to;
    }
    Ok(())
}

/// An edge of a run is one of the graph; a return leads to where a call resumes.
fn edge(graph: &Graph, place: Place, last: Option<u64>, kind: ExitKind, to: Place) -> Result<(), String> {
    let last = last
        .map_or(place, |last| if last == place.address { place } else { Place::new(last, place.context) });
    let Some(from) = graph.containing_anyhow(last) else {
        return Err(format!("no block has {:#x}", last.address));
    };
    let known = match kind {
        ExitKind::Return => graph
            .find_anyhow(to)
            .is_some_and(|to| graph.predecessors(to).any(|edge| edge.kind == EdgeKind::Resume)),
        // The machine and the graph may cut blocks differently: what falls through may stay inside a block.
        ExitKind::Fall if graph.containing_anyhow(to) == Some(from) => true,
        _ => graph.successors(from).any(|edge| graph.find_anyhow(to) == Some(edge.to)),
    };
    if known {
        Ok(())
    } else {
        Err(format!(
            "the edge {last:x?} -> {to:x?} ({kind:?}) is not known; from {:x?}: {:x?}, to {:x?}",
            graph.block(from),
            graph.successors(from).collect::<Vec<_>>(),
            graph.containing_anyhow(to).map(|b| graph.block(b).clone())
        ))
    }
}

fn guest_of(
    target: &Target,
    built: &everypath_testkit::guests::Built,
) -> Result<(Guest, Configuration), String> {
    let mut configuration = Configuration::parse(&built.configuration).map_err(|error| error.to_string())?;
    for cell in &mut configuration.volatiles {
        cell.random = true;
    }
    let bytes = std::fs::read(&built.file).map_err(|error| error.to_string())?;
    let image = Image::read(bytes, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let architecture = Library::built_in().load(&target.name).map_err(|error| error.to_string())?;
    let guest = Guest::new(architecture, image).map_err(|error| error.to_string())?;
    Ok((guest, configuration))
}

fn check_guest(source: &Path, target: &Target, level: &str, trust: Trust) -> Result<(u64, u64), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let built = build(source, target, level, folder.path())?;
    let (guest, mut configuration) = guest_of(target, &built)?;
    let architecture = Library::built_in().load(&target.name).map_err(|error| error.to_string())?;
    let program = Program::new(architecture, guest.image()).ok_or("no code")?;
    let start = guest.entry(&configuration).map_err(|error| error.to_string())?;
    let settings = Settings { entries: vec![start], ..Settings::default() };
    let mut graph = Graph::recover(&program, settings);
    let mut bounds = Bounds::new(&program, trust);
    bounds.volatile = guest.world(&configuration).map_err(|error| error.to_string())?.places();
    let mut first = guest.state(&configuration).map_err(|error| error.to_string())?;
    bounds.start = Some((start, Arc::new(Start::of(&mut first, program.architecture()))));
    let mut values = Values::analyse(&program, &graph, bounds.clone(), None);
    for _ in 0..16 {
        if !graph.take_values(&program, &values) {
            break;
        }
        values = Values::analyse(&program, &graph, bounds.clone(), None);
    }
    let saturated = graph.dynamics().filter(|dynamic| dynamic.state.is_saturated()).count();
    println!(
        "{} {level} {}: {saturated} of {} computed exits saturated, {} of {} exits dead{}",
        target.name,
        source.file_stem().unwrap_or_default().display(),
        graph.dynamics().count(),
        values.dead_exits().len(),
        graph.edges().count(),
        values.unsaid().map_or(String::new(), |why| match why {
            Unsaid::Unbounded(block, _) =>
                format!(", not from the start: {why:?} at {:#x}", graph.block(block).place.address),
            _ => format!(", not from the start: {why:?}"),
        })
    );
    let description = program.architecture().description();
    let names: BTreeSet<&String> = description
        .call
        .iter()
        .flat_map(|call| {
            call.arguments.iter().chain(&call.result).chain(&call.preserved).chain(&call.return_address)
        })
        .chain(&description.registers.stack_pointer)
        .collect();
    let registers = names.iter().filter_map(|name| program.architecture().register(name)).collect();
    let mut check =
        Check { program: &program, graph: &graph, values: &values, registers, compared: 0, telling: 0 };
    for seed in 1..=RUNS {
        configuration.seed = seed;
        one_run(&mut check, &guest, &configuration)?;
    }
    Ok((check.compared, check.telling))
}

fn check_all(trust: Trust) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut failures = Vec::new();
    for target in targets(&root).expect("the list of targets") {
        let (mut compared, mut telling) = (0, 0);
        for level in &target.levels {
            let mut guests: Vec<_> = std::fs::read_dir(root.join("tests/guests/classic"))
                .expect("the guests")
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
                // This one asks for a header of its own.
                .filter(|path| path.file_stem().is_some_and(|stem| stem != "sha"))
                .collect();
            guests.sort();
            for source in guests {
                match check_guest(&source, &target, level, trust) {
                    Ok((more, said)) => {
                        compared += more;
                        telling += said;
                    }
                    Err(why) => failures.push(format!("{} {level} {}: {why}", target.name, source.display())),
                }
            }
        }
        println!("{}: {telling} of {compared} comparisons say something", target.name);
        if compared == 0 {
            failures.push(format!("{}: nothing was compared", target.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_runs_do_is_contained_in_what_is_said_without_assumptions() {
    check_all(Trust::Nothing);
}

#[test]
fn what_runs_do_is_contained_in_what_is_said_of_programs_that_keep_to_conventions() {
    check_all(Trust::Convention);
}
