//! A listing: a layout and its blocks, printed and parsed.

use std::fmt;
use std::str::FromStr;

use super::parse::parse;
use super::{ParseError, Printer};
use crate::{Block, Layout};

/// A layout and blocks that refer to it.
///
/// `Display` gives the text form, and `FromStr` reads it back as the same listing. Parsing checks names, numbers and
/// the order of temporaries only; pass the blocks to [`crate::verify`]. A `#` starts a comment.
///
/// ```
/// use everypath_ir::Listing;
/// let text = "\
/// space ram memory little 64
/// space register register little 32
/// user cpuid
/// block ram 0x401000 context 0x5 end 0x401007 {
///   @0x401000+3
///     t0:64 = get register[0x0]
///     t1:64 = add t0 0x8:64
///     put register[0x20] t1
///     t2:32 = load ram t1
///     t3:1 = eq t2 0x0:32
///   @0x401003+4
///     t4:32 = user cpuid(t2, 0x1:8) if t3
///     store ram t0 t4
///     exit if t3 jump 0x401000
///     exit return [t1]
/// }
/// ";
/// let listing: Listing = text.parse().unwrap();
/// assert_eq!(everypath_ir::verify(&listing.layout, &listing.blocks[0]), Ok(()));
/// assert_eq!(listing.to_string(), text);
/// ```
///
/// A part of an instruction is written after its address, as in `0x401000.2`; the context of a target is written if
/// it is not that of the block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listing {
    /// The spaces and names.
    pub layout: Layout,
    /// The blocks.
    pub blocks: Vec<Block>,
}

impl fmt::Display for Listing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let printer = Printer::new(&self.layout);
        printer.layout().fmt(formatter)?;
        self.blocks.iter().try_for_each(|block| printer.block(block).fmt(formatter))
    }
}

impl FromStr for Listing {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Listing, ParseError> {
        parse(text)
    }
}
