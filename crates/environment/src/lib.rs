//! The guest's environment: memory map, MMIO, the initial state, and models of the processor's user operations.
//!
//! A [`Configuration`] is the content of an `everypath.toml`. A [`Guest`] is a program with its architecture; it makes
//! the initial [`State`](everypath_machine::State) of a run and lifts blocks for the machine. [`World`] is the
//! environment of a run.
//!
//! ```
//! use everypath_environment::{Configuration, Guest};
//! use everypath_image::{Image, ImageFormat, ReadOptions};
//! use everypath_lift::Library;
//! use everypath_machine::{ConcreteDomain, End, Machine, NoWatch};
//!
//! // mov dptr,#5; movx a,@dptr; cjne a,#42,done; mov p1,#1; done: sjmp done
//! let code = [0x90, 0, 5, 0xe0, 0xb4, 42, 3, 0x75, 0x90, 1, 0x80, 0xfe];
//! let format = ImageFormat::by_name("raw");
//! let image = Image::read(code, &ReadOptions { format, base: Some(0), ..ReadOptions::default() })?;
//! let guest = Guest::new(Library::built_in().load("8051")?, image)?;
//! // The memory-mapped register that the program reads, and the end of the run: where `a` is 42.
//! let configuration = Configuration::parse("
//!     stop = [7]
//!     volatile = [{ name = 'sensor', space = 'EXTMEM', address = 5, size = 1, values = [42] }]
//! ")?;
//! let mut state = guest.state(&configuration)?;
//! let mut domain = ConcreteDomain { state: &mut state, outside: guest.world(&configuration)? };
//! let (entry, limits) = (guest.entry(&configuration)?, guest.limits(&configuration)?);
//! let (end, instructions) = Machine::new(&guest).run(&mut domain, entry, &limits, &mut NoWatch);
//! assert_eq!((end, instructions), (End::Exited { address: 7, status: 0 }, 3));
//! assert_eq!(domain.outside.given(), [("sensor".to_owned(), vec![42])]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address_or_symbol;
mod assumed_registers;
mod cells;
mod check;
mod configuration;
mod controller;
mod end;
mod function_call;
mod globals;
mod guest;
mod input;
mod interrupt_lines;
mod justification;
mod linux;
mod model;
mod overlap;
mod peripheral;
mod placement;
mod random;
mod reach_target;
mod results;
mod sense;
mod start;
mod vectors;
mod world;

pub use address_or_symbol::AddressOrSymbol;
pub use assumed_registers::AssumedRegister;
pub use configuration::{
    CallOf, Configuration, Field, InitialBytes, InputDeclaration, Object, StackRegion, Unwritten,
    VolatileCell,
};
pub use controller::{Controller, Takeable};
pub use function_call::PushedBytes;
pub use guest::{Guest, GuestError};
pub use input::{InitialInput, InitialInputs, PointerInput};
pub use interrupt_lines::Lines;
pub use justification::{JustificationEntry, without_justifications};
pub use linux::{
    Argument, ArgumentInput, EnvironmentVariable, FileInput, LinuxSettings, STANDARD_INPUT,
    STANDARD_INPUT_LENGTH, StreamSize, VariableInput, argument_name, file_name, variable_name,
};
pub use model::{ALL as MODELS, Call, ModelSetup, OperationModel, Remembered};
pub use random::Sequence;
pub use reach_target::{
    BinaryOperator, CodePlace, CompiledCondition, ConditionExpression, ExpressionKind, PlaceText, PointText,
    ReachTarget, TargetError, TargetText, UnaryOperator, Waypoint, WaypointPlace,
};
pub use sense::{InputOrigin, InputTable, Progress, Sensor};
pub use vectors::Handler;
pub use world::{CellRead, World};
