//! A small sorted map keyed by memory region.

use super::region::Region;

/// A map from memory regions, of which there are few. An entry with the default value equals an absent one.
#[derive(Clone, Debug)]
pub(super) struct ByRegion<T> {
    list: Vec<(Region, T)>,
}

impl<T> Default for ByRegion<T> {
    fn default() -> Self {
        Self { list: Vec::new() }
    }
}

impl<T: Default + PartialEq> PartialEq for ByRegion<T> {
    fn eq(&self, other: &Self) -> bool {
        let nothing = T::default();
        let some = |map: &'_ Self| map.list.iter().filter(|(_, held)| *held != nothing).count();
        some(self) == some(other)
            && self.iter().all(|(region, held)| *held == nothing || other.get(region) == Some(held))
    }
}

impl<T: Default + Eq> Eq for ByRegion<T> {}

impl<T> ByRegion<T> {
    pub(super) fn get(&self, region: Region) -> Option<&T> {
        self.list.iter().find(|(other, _)| *other == region).map(|(_, held)| held)
    }

    pub(super) fn get_mut(&mut self, region: Region) -> Option<&mut T> {
        self.list.iter_mut().find(|(other, _)| *other == region).map(|(_, held)| held)
    }

    /// The entries, ordered by region.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Region, &T)> + '_ {
        self.list.iter().map(|(region, held)| (*region, held))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (Region, &mut T)> + '_ {
        self.list.iter_mut().map(|(region, held)| (*region, held))
    }

    pub(super) fn insert(&mut self, region: Region, held: T) {
        match self.list.binary_search_by_key(&region, |(other, _)| *other) {
            Ok(at) => self.list[at].1 = held,
            Err(at) => self.list.insert(at, (region, held)),
        }
    }

    pub(super) fn remove(&mut self, region: Region) {
        self.list.retain(|(other, _)| *other != region);
    }
}

impl<T: Default> ByRegion<T> {
    /// The entry of a region; inserts the default value if there is none.
    pub(super) fn entry(&mut self, region: Region) -> &mut T {
        let at = match self.list.binary_search_by_key(&region, |(other, _)| *other) {
            Ok(at) => at,
            Err(at) => {
                self.list.insert(at, (region, T::default()));
                at
            }
        };
        &mut self.list[at].1
    }
}
