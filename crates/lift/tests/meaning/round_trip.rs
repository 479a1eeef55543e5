//! Blocks are well formed, and their text parses back to the same blocks.

use everypath_ir::{Block, Layout, Listing, verify};

/// The number of blocks in one listing, whose layout is long.
const BATCH: usize = 500;

/// Blocks whose text is yet to be parsed.
pub(crate) struct RoundTrip {
    listing: Listing,
}

impl RoundTrip {
    pub(crate) fn new(layout: &Layout) -> Self {
        Self { listing: Listing { layout: layout.clone(), blocks: Vec::new() } }
    }

    /// Verifies a block, and queues it for the round trip.
    pub(crate) fn add(&mut self, block: &Block) -> Result<(), String> {
        verify(&self.listing.layout, block).map_err(|faults| {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            format!("the block is malformed: {}", faults.join("; "))
        })?;
        self.listing.blocks.push(block.clone());
        if self.listing.blocks.len() == BATCH {
            self.finish();
        }
        Ok(())
    }

    /// Prints the queued blocks, parses the text, and compares.
    pub(crate) fn finish(&mut self) {
        let text = self.listing.to_string();
        let read: Listing = text.parse().unwrap_or_else(|error| panic!("{error} in\n{text}"));
        for (read, block) in read.blocks.iter().zip(&self.listing.blocks) {
            assert_eq!(read, block);
        }
        assert_eq!(read, self.listing);
        self.listing.blocks.clear();
    }
}
