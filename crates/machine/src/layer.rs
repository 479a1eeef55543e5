//! Layers of immutable pages that the forks of a memory share.

use crate::page::SharedPage;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

/// A hash for page numbers, which differ mostly in their low bits; one multiplication mixes in the high ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PageHasher(u64);

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
        self.0 ^= self.0 >> 32;
    }
}

pub(crate) type PageMap<T> = HashMap<u64, T, BuildHasherDefault<PageHasher>>;

/// Shared, immutable pages above an older layer.
pub(crate) struct Layer {
    pub(crate) pages: PageMap<SharedPage>,
    pub(crate) below: Option<Rc<Layer>>,
}

impl Layer {
    pub(crate) fn find(&self, number: u64) -> Option<&SharedPage> {
        let mut layer = self;
        loop {
            if let Some(page) = layer.pages.get(&number) {
                return Some(page);
            }
            layer = layer.below.as_deref()?;
        }
    }
}
