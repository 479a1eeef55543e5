//! Concolic execution (DART, Godefroid et al. 2005) with state forking and generational search (Godefroid et al. 2008).
//!
//! An [`Explorer`] runs a guest on symbolic input. At each decision on input it enqueues the alternative, with a fork
//! of the state, as a pending branch; a [`Strategy`] chooses the next one; if the solver finds it satisfiable, the run
//! continues from the fork with every symbolic byte re-evaluated under the new model. The result is a [`record
//! suite`](everypath_record::Suite): tests, a verdict for each branch direction, findings and assumptions. It is
//! deterministic for a given seed.
//!
//! ```
//! use everypath_environment::{Configuration, Guest};
//! use everypath_explore::{Explorer, NoObserver, Plan};
//! use everypath_image::{Image, ImageFormat, ReadOptions};
//! use everypath_lift::Library;
//! use everypath_solve::SolverStack;
//!
//! // mov dptr,#5; movx a,@dptr; cjne a,#42,done; mov p1,#1; done: sjmp done
//! let code = [0x90, 0, 5, 0xe0, 0xb4, 42, 3, 0x75, 0x90, 1, 0x80, 0xfe];
//! let format = ImageFormat::by_name("raw");
//! let image = Image::read(code, &ReadOptions { format, base: Some(0), ..ReadOptions::default() })?;
//! let guest = Guest::new(Library::built_in().load("8051")?, image)?;
//! // Without `values`, the register is input.
//! let sensor = "volatile = [{ name = 'sensor', space = 'EXTMEM', address = 5, size = 1 }]";
//! let configuration = Configuration::parse(sensor)?;
//! let explorer = Explorer::new(&guest, &configuration, Plan::default(), SolverStack::default().build())?;
//! let exploration = explorer.run(&mut NoObserver);
//! for test in &exploration.tests {
//!     println!("sensor = {:?}: {}", test.cells[0].values, test.end);
//! }
//! assert!(exploration.tests.iter().any(|test| test.cells[0].values == [42]));
//! assert!(exploration.reached);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cancellation;
mod entry;
mod explain;
mod exploration;
mod explorer;
mod extensions;
mod frontier;
mod hang;
mod map;
mod merge;
mod observer;
mod path;
mod plan;
mod probe;
mod queries;
mod reach;
mod record;
mod run;
mod schedule;
mod steering;
mod strategy;
mod verdict;

pub use explain::executed::executed_code;
pub use exploration::{ConfigurationGaps, ControlFlow, Effort, Exploration};
pub use explorer::Explorer;
pub use extensions::Extensions;
pub use map::evidence::check_claim;
pub use observer::{DirectionStatus, NoObserver, Observer, OpenReason, ProgressReport, SearchDetails};
pub use plan::{Bounds, Criterion, Plan};
pub use reach::progress::TargetProgress;
pub use reach::witness::reaches;
pub use record::device_accesses::{DeviceAccesses, DeviceRead, EnabledInterrupt, device_accesses};
pub use record::expected::expected_outputs;
pub use record::false_predicates::false_predicates;
pub use record::harness::harness_suite;
pub use record::replay::{Replayed, replay};
pub use record::rerun::{rerun, trace};
pub use record::verify::verify;
pub use steering::{FunctionCode, Steering};
pub use strategy::{ALL as STRATEGIES, Candidate, CandidatePlace, SearchView, Strategy, StrategyEntry};
pub use verdict::certificate::Certified;
pub use verdict::ledger::{AssumptionKind, Ledger};
