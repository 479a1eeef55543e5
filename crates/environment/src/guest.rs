//! A guest: a program with its architecture, the block source of the machine.

use everypath_image::Image;
use everypath_ir::{Block, Context, Layout, Location, Place, SpaceId, Width};
use everypath_lift::{Architecture, CodeBytes, CodeMap, Lifter, Options};
use everypath_machine::{BlockSource, SourceBlock};
use std::fmt;
use std::sync::Arc;

/// The reason why a guest cannot be set up as configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestError(pub(crate) String);

impl GuestError {
    /// An error with this message.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for GuestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for GuestError {}

/// A program with its architecture.
pub struct Guest {
    pub(crate) architecture: Arc<Architecture>,
    pub(crate) image: Image,
    whole: Lifter,
    single: Lifter,
    code_space: SpaceId,
}

impl Guest {
    /// A program for an architecture.
    ///
    /// # Errors
    /// If the architecture's code space is not memory.
    pub fn new(architecture: Arc<Architecture>, image: Image) -> Result<Self, GuestError> {
        let space = architecture.specification().default_space();
        let code_space = architecture
            .spaces()
            .get(space)
            .ok_or_else(|| GuestError(format!("architecture `{}` has no code space", architecture.name())))?;
        let whole = Lifter::new(architecture.clone());
        let single =
            Lifter::new(architecture.clone()).with_options(Options { instructions: 1, ..Options::default() });
        Ok(Self { architecture, image, whole, single, code_space })
    }

    /// The architecture.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// A shared reference to the architecture.
    pub fn shared_architecture(&self) -> Arc<Architecture> {
        self.architecture.clone()
    }

    /// The program.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The code space.
    pub fn code_space(&self) -> SpaceId {
        self.code_space
    }

    /// The instruction of the file at a place, lifted alone.
    pub fn instruction(&self, place: Place) -> Option<Block> {
        self.single.session().block(&self.image, place).ok()
    }

    /// Returns true if a user operation has no effect visible to a program on one processor.
    pub fn is_harmless(&self, operation: u32) -> bool {
        self.architecture.is_harmless(operation)
    }

    /// Whether a user operation has a model, so that a path continues behind it.
    pub fn is_modelled(&self, operation: u32) -> bool {
        let name = self.architecture.layout().user_operations.get(operation as usize);
        name.is_some_and(|name| self.architecture.description().user_operation(name).is_some())
    }

    /// Lifts one instruction.
    pub(crate) fn single_instruction(&self, code: &CodeBytes<'_>, place: Place) -> Option<Block> {
        self.single.session().block(code, place).ok()
    }

    /// The code ranges with their decoder contexts.
    pub(crate) fn code_map(&self) -> CodeMap<'_> {
        CodeMap::new(&self.architecture, &self.image)
    }
}

/// The maximum number of bytes from which a block is lifted.
const BLOCK_BYTES: usize = 512;
/// The maximum number of bytes for one instruction: itself, its delay slots, the instruction after it.
const INSTRUCTION_BYTES: usize = 64;

impl BlockSource for &Guest {
    fn layout(&self) -> &Layout {
        self.architecture.layout()
    }

    fn code_space(&self) -> SpaceId {
        self.code_space
    }

    fn block(
        &mut self,
        place: Place,
        single: bool,
        fetch: &mut dyn FnMut(u64, &mut [u8]) -> usize,
    ) -> Result<SourceBlock, String> {
        let (lifter, size) =
            if single { (&self.single, INSTRUCTION_BYTES) } else { (&self.whole, BLOCK_BYTES) };
        let mut bytes = vec![0; size];
        let count = fetch(place.address, &mut bytes);
        bytes.truncate(count);
        // Lifting reads through a shared reference, but fetching changes the state's page list, so the bytes are
        // fetched beforehand.
        let code = CodeBytes { address: place.address, bytes: &bytes };
        let lifted = lifter.session().block_and_branches(&code, place);
        lifted.map(|(block, branching)| SourceBlock { block, branching }).map_err(|why| why.to_string())
    }

    fn computed_context(&self, flowing: Context, read: &mut dyn FnMut(Location, Width) -> u64) -> Context {
        self.architecture.computed_context(flowing, read)
    }
}
