//! Let-binding of shared and deep subterms when terms are printed.

use rustc_hash::FxHashMap;

use crate::{Part, Term, Terms};

/// The depth at which a subterm is let-bound, so that lines stay readable and no parser needs a deep stack.
const DEPTH: u32 = 5;

/// The rule by which a part is let-bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// Never, because it is short.
    Never,
    /// If it is used more than once, or is deep.
    Usual,
    /// Always.
    Always,
}

/// The let-bound parts in topological order, arguments first.
pub(crate) struct Names {
    pub(crate) parts: Vec<Part>,
    numbers: FxHashMap<Part, usize>,
}

impl Names {
    /// The number of a let-bound part, counted from one.
    pub(crate) fn of(&self, part: Part) -> Option<usize> {
        self.numbers.get(&part).copied()
    }
}

impl Terms {
    /// Selects the parts to let-bind by `naming`.
    pub(crate) fn names(&self, roots: &[Term], naming: impl Fn(Part) -> Naming) -> Names {
        let all = self.parts(roots);
        let mut uses: FxHashMap<Part, u32> = FxHashMap::default();
        for &part in &all {
            for inner in self.direct(part) {
                *uses.entry(inner).or_default() += 1;
            }
        }
        let mut names = Names { parts: Vec::new(), numbers: FxHashMap::default() };
        let mut depths: FxHashMap<Part, u32> = FxHashMap::default();
        for part in all {
            let naming = naming(part);
            if naming == Naming::Never {
                continue;
            }
            let inside = self.direct(part).filter_map(|inner| depths.get(&inner)).max();
            let depth = inside.map_or(1, |depth| depth + 1);
            let used = uses.get(&part).copied().unwrap_or(0);
            if naming == Naming::Always || used > 1 || used == 1 && depth >= DEPTH {
                names.parts.push(part);
                names.numbers.insert(part, names.parts.len());
            } else {
                depths.insert(part, depth);
            }
        }
        names
    }
}
