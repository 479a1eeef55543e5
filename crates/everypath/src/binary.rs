//! An opened executable, and what can be read off it without running it.

use crate::error::Error;
use everypath_analyze::{Graph, Program, Settings};
use everypath_environment::{AddressOrSymbol, Configuration, Guest};
use everypath_image::Image;
use everypath_ir::{Block, Place};
use everypath_lift::{Architecture, CodeMap, CodeStart, LiftSession, Lifter};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// An executable with its architecture and its configuration. Clones share the program.
#[derive(Clone)]
pub struct Binary {
    pub(crate) guest: Arc<Guest>,
    pub(crate) configuration: Configuration,
    /// Whether the file names its architecture.
    pub(crate) is_detected: bool,
    /// Its name in suites: that of the file.
    pub(crate) name: String,
    /// Its name in errors: the path as it was given.
    pub(crate) label: String,
    pub(crate) program_hash: String,
    pub(crate) configuration_hash: String,
    /// The text that the configuration comes from; empty if it comes from none.
    pub(crate) configuration_source: String,
    /// The control-flow graph, recovered when it is first asked for.
    pub(crate) graph: Arc<OnceLock<Graph>>,
}

/// An instruction of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedInstruction {
    /// Its address.
    pub address: u64,
    /// Its length in bytes.
    pub length: u8,
    /// Its assembly text; the reason in words if it has no meaning alone, as in some delay slots.
    pub text: String,
}

impl Binary {
    /// The program with its architecture, as the machine runs it.
    #[must_use]
    pub fn guest(&self) -> &Guest {
        &self.guest
    }

    /// The executable: segments, symbols, source lines.
    #[must_use]
    pub fn image(&self) -> &Image {
        self.guest.image()
    }

    /// The architecture: registers, memory map, calling convention.
    #[must_use]
    pub fn architecture(&self) -> &Architecture {
        self.guest.architecture()
    }

    /// The configuration of the environment.
    #[must_use]
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// The hash (SHA-256) of the executable's bytes.
    #[must_use]
    pub fn program_hash(&self) -> &str {
        &self.program_hash
    }

    /// The hash (SHA-256) of the configuration's text; empty if the configuration was built in code.
    #[must_use]
    pub fn configuration_hash(&self) -> &str {
        &self.configuration_hash
    }

    /// The entry points: those of the file, otherwise the reset rule of the architecture.
    #[must_use]
    pub fn entries(&self) -> Vec<CodeStart> {
        CodeMap::new(self.architecture(), self.image()).starts(self.image())
    }

    /// The control-flow graph, recovered without running the program at the first call.
    ///
    /// # Errors
    /// If the architecture has no code space.
    pub fn graph(&self) -> Result<&Graph, Error> {
        if let Some(graph) = self.graph.get() {
            return Ok(graph);
        }
        let graph = self.graph_with(Settings::default())?;
        Ok(self.graph.get_or_init(|| graph))
    }

    /// The addresses at which functions begin, in order, as far as the control-flow graph knows them.
    ///
    /// # Errors
    /// As of [`Binary::graph`].
    pub fn functions(&self) -> Result<Vec<u64>, Error> {
        let graph = self.graph()?;
        let mut entries: Vec<u64> =
            graph.functions().iter().map(|function| graph.block(function.entry).place.address).collect();
        entries.sort_unstable();
        Ok(entries)
    }

    /// The control-flow graph with the functions that symbols name, such as interrupt handlers, for reports.
    pub(crate) fn graph_with_symbols(&self) -> Result<Graph, Error> {
        self.graph_with(Settings { symbols: true, ..Settings::default() })
    }

    pub(crate) fn graph_with(&self, settings: Settings) -> Result<Graph, Error> {
        let program = Program::new(self.guest.shared_architecture(), self.image());
        let program = program.ok_or_else(|| self.misfit("the architecture has no code space"))?;
        Ok(Graph::recover(&program, settings))
    }

    /// The error that the configuration, or a test, does not fit the program.
    pub(crate) fn misfit(&self, problem: &(impl ToString + ?Sized)) -> Error {
        Error::Configuration { program: self.label.clone(), message: problem.to_string() }
    }

    /// The basic blocks of a function as intermediate representation, in the order of their addresses.
    ///
    /// # Errors
    /// If no function begins there, or a block cannot be lifted.
    pub fn lift(&self, function: impl Into<AddressOrSymbol>) -> Result<Vec<Block>, Error> {
        let places = self.blocks_of(function.into())?;
        let lifter = Lifter::new(self.guest.shared_architecture());
        let mut session = lifter.session();
        let lift = |place: &Place| {
            let block = session.block_until(self.image(), *place, |next| places.contains(&next));
            let program = self.label.clone();
            block.map_err(|source| Error::Lift { program, address: place.address, source })
        };
        places.iter().map(lift).collect()
    }

    /// The instructions of a function, in the order of their addresses.
    ///
    /// # Errors
    /// As of [`Binary::lift`].
    pub fn instructions(
        &self,
        function: impl Into<AddressOrSymbol>,
    ) -> Result<Vec<DecodedInstruction>, Error> {
        let lifter = Lifter::new(self.guest.shared_architecture());
        let mut session = lifter.session();
        // A later part of an instruction with an inner loop is not another instruction.
        let blocks = self.lift(function)?.into_iter().filter(|block| block.place.part == 0);
        Ok(blocks.flat_map(|block| self.decode(&mut session, block.place, block.instructions())).collect())
    }

    /// The instructions of a block, given their addresses and lengths.
    pub(crate) fn decode(
        &self,
        session: &mut LiftSession<'_>,
        start: Place,
        instructions: impl Iterator<Item = (u64, u8)>,
    ) -> Vec<DecodedInstruction> {
        let (mut list, mut context) = (Vec::new(), start.context);
        let mut instructions = instructions.peekable();
        while let Some((address, length)) = instructions.next() {
            let text = match session.decode(self.image(), address, context) {
                Ok(instruction) => {
                    if let Some((next, _)) = instructions.peek() {
                        let commits = instruction.commits();
                        context = self.architecture().successor_context(context, commits, *next);
                    }
                    instruction.text()
                }
                Err(bad) => bad.to_string(),
            };
            list.push(DecodedInstruction { address, length, text });
        }
        list
    }

    /// The starts of the blocks of a function.
    fn blocks_of(&self, function: AddressOrSymbol) -> Result<BTreeSet<Place>, Error> {
        let mut map = CodeMap::new(self.architecture(), self.image());
        let place = match &function {
            AddressOrSymbol::Address(address) => Some(map.given(*address)),
            AddressOrSymbol::Symbol(name) => {
                self.image().symbol_named(name).map(|symbol| map.place(symbol.address))
            }
        };
        let graph = self.graph()?;
        let found = place.and_then(|place| graph.function_at(place));
        let Some(found) = found else {
            return Err(Error::NoFunction { program: self.label.clone(), function });
        };
        let blocks = graph.function(found).blocks.iter().map(|block| graph.block(*block));
        Ok(blocks.filter(|block| block.decoded).map(|block| block.place).collect())
    }
}
