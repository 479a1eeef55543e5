//! A small sorted map keyed by address space.

use everypath_ir::SpaceId;

/// A map from address spaces, of which there are few. An entry with the default value equals an absent one.
#[derive(Clone, Debug)]
pub(super) struct BySpace<T> {
    list: Vec<(SpaceId, T)>,
}

impl<T> Default for BySpace<T> {
    fn default() -> Self {
        Self { list: Vec::new() }
    }
}

impl<T: Default + PartialEq> PartialEq for BySpace<T> {
    fn eq(&self, other: &Self) -> bool {
        let nothing = T::default();
        let some = |map: &'_ Self| map.list.iter().filter(|(_, held)| *held != nothing).count();
        some(self) == some(other)
            && self.iter().all(|(space, held)| *held == nothing || other.get(space) == Some(held))
    }
}

impl<T: Default + Eq> Eq for BySpace<T> {}

impl<T> BySpace<T> {
    pub(super) fn get(&self, space: SpaceId) -> Option<&T> {
        self.list.iter().find(|(other, _)| *other == space).map(|(_, held)| held)
    }

    pub(super) fn get_mut(&mut self, space: SpaceId) -> Option<&mut T> {
        self.list.iter_mut().find(|(other, _)| *other == space).map(|(_, held)| held)
    }

    /// The entries, ordered by space number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (SpaceId, &T)> + '_ {
        self.list.iter().map(|(space, held)| (*space, held))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (SpaceId, &mut T)> + '_ {
        self.list.iter_mut().map(|(space, held)| (*space, held))
    }

    pub(super) fn insert(&mut self, space: SpaceId, held: T) {
        match self.list.binary_search_by_key(&space, |(other, _)| *other) {
            Ok(at) => self.list[at].1 = held,
            Err(at) => self.list.insert(at, (space, held)),
        }
    }

    pub(super) fn remove(&mut self, space: SpaceId) {
        self.list.retain(|(other, _)| *other != space);
    }
}

impl<T: Default> BySpace<T> {
    /// The entry of a space; inserts the default value if there is none.
    pub(super) fn entry(&mut self, space: SpaceId) -> &mut T {
        let at = match self.list.binary_search_by_key(&space, |(other, _)| *other) {
            Ok(at) => at,
            Err(at) => {
                self.list.insert(at, (space, T::default()));
                at
            }
        };
        &mut self.list[at].1
    }
}
