//! A guest: a program with its architecture, from which a machine gets its blocks.

use everypath_image::Image;
use everypath_ir::{Block, Context, Layout, Location, Place, SpaceId, Width};
use everypath_lift::{Architecture, Bytes, CodeMap, Lifter, Options};
use everypath_machine::{BlockSource, SourceBlock};
use std::fmt;
use std::sync::Arc;

/// Why a guest cannot be set up as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestError(pub(crate) String);

impl GuestError {
    /// A reason in words.
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

    /// The architecture, to be kept.
    pub fn shared_architecture(&self) -> Arc<Architecture> {
        self.architecture.clone()
    }

    /// The program.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The space of code.
    pub fn code_space(&self) -> SpaceId {
        self.code_space
    }

    /// The instruction that the file has at a place, lifted by itself.
    pub fn instruction(&self, place: Place) -> Option<Block> {
        self.single.session().block(&self.image, place).ok()
    }

    /// Whether a user operation does nothing that a program on one processor sees.
    pub fn is_harmless(&self, operation: u32) -> bool {
        let name = self.architecture.layout().user_operations.get(operation as usize);
        let said = name.and_then(|name| self.architecture.description().user_operation(name));
        said.is_some_and(|said| said.model == "nothing")
    }

    /// One instruction of some code.
    pub(crate) fn single_instruction(&self, code: &Bytes<'_>, place: Place) -> Option<Block> {
        self.single.session().block(code, place).ok()
    }

    /// Where code is and in which context it is decoded.
    pub(crate) fn code_map(&self) -> CodeMap<'_> {
        CodeMap::new(&self.architecture, &self.image)
    }
}

/// How many bytes a block of several instructions may be lifted from.
const BLOCK_BYTES: usize = 512;
/// How many a single instruction may need: itself, its delay slots, the instruction after it.
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
        // Lifting reads through a shared reference and fetching changes the state's list of pages, so what may be needed
        // is fetched beforehand.
        let code = Bytes { address: place.address, bytes: &bytes };
        let lifted = lifter.session().block_and_branches(&code, place);
        lifted.map(|(block, branching)| SourceBlock { block, branching }).map_err(|why| why.to_string())
    }

    fn computed_context(&self, flowing: Context, read: &mut dyn FnMut(Location, Width) -> u64) -> Context {
        self.architecture.computed_context(flowing, read)
    }
}
