//! A concurrent cache of lifted blocks, sharded by hash.

use crate::code::Code;
use crate::lifter::{FETCH, LiftSession};
use crate::translate::NotLifted;
use everypath_ir::{Block, Place};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// The number of shards, each with its own lock, so that threads rarely contend.
const SHARDS: usize = 64;

type Shard = HashMap<Place, Result<Arc<Block>, NotLifted>>;

/// Blocks by their start. Each is lifted once, as long as the code does not change.
#[derive(Debug)]
pub struct BlockCache {
    shards: Vec<RwLock<Shard>>,
    hasher: RandomState,
}

impl Default for BlockCache {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| RwLock::default()).collect(), hasher: RandomState::new() }
    }
}

impl BlockCache {
    fn shard(&self, place: &Place) -> &RwLock<Shard> {
        // Nothing depends on the order of a shard's entries, so a randomly seeded hasher keeps results reproducible.
        &self.shards[self.hasher.hash_one(place) as usize % SHARDS]
    }

    /// The block at a place, lifted now if it is not cached.
    pub fn block(
        &self,
        session: &mut LiftSession<'_>,
        code: &dyn Code,
        place: Place,
    ) -> Result<Arc<Block>, NotLifted> {
        let shard = self.shard(&place);
        if let Some(known) = shard.read().unwrap_or_else(PoisonError::into_inner).get(&place) {
            return known.clone();
        }
        // Two threads may lift the same block at once; the first to finish is kept, so both see one block.
        let lifted = session.block(code, place).map(Arc::new);
        shard.write().unwrap_or_else(PoisonError::into_inner).entry(place).or_insert(lifted).clone()
    }

    /// Invalidates the blocks that have a byte in a range of addresses, because the code there has changed.
    pub fn forget(&self, addresses: Range<u64>) {
        for shard in &self.shards {
            shard.write().unwrap_or_else(PoisonError::into_inner).retain(|place, lifted| {
                // A failure to lift depends on the bytes that were fetched.
                let looked_at = place.address.saturating_add(FETCH as u64);
                let end = lifted.as_ref().map_or(looked_at, |block| block.end);
                let (before, after) = (addresses.end <= place.address, end <= addresses.start);
                // A block at the end of its space may wrap around to the start.
                if end <= place.address { before && after } else { before || after }
            });
        }
    }

    /// The number of cached places.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().unwrap_or_else(PoisonError::into_inner).len()).sum()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
