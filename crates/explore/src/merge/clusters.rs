//! Clusters of values: a word with few values, or values in few places, has an index of one byte for each of them.

use everypath_ir::{Width, Word};

use crate::merge::values::MayValues;

/// The maximum number of clusters of values of a word.
const CLUSTERS: usize = 16;

/// Values that are further apart are in different clusters.
const CLUSTER_GAP: u64 = 16;

/// Values of a word that are close together, and their indices among all values of the word.
pub(super) struct Cluster {
    /// The first value, and its index.
    pub(super) base: u64,
    pub(super) first_index: u8,
    /// The distances of the values from the first.
    offsets: Vec<u8>,
}

impl Cluster {
    /// The indices of the values.
    pub(super) fn indices(&self) -> impl Iterator<Item = u8> {
        self.offsets.iter().map(|offset| self.first_index + offset)
    }

    /// How many indices it takes up.
    fn span(&self) -> u64 {
        self.offsets.last().map_or(0, |last| u64::from(*last) + 1)
    }

    /// The index of a value, if it is one of these.
    pub(super) fn index(&self, value: u64, mask: u64) -> Option<u8> {
        let offset = value.wrapping_sub(self.base) & mask;
        self.offsets.iter().find(|one| u64::from(**one) == offset).map(|offset| self.first_index + offset)
    }
}

/// The values in clusters, so that each has an index of one byte; none if that is not enough.
pub(super) fn clusters(values: &MayValues, width: Width) -> Option<Vec<Cluster>> {
    let mask = u64::mask(width);
    let listed = values.rotated(width)?;
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut last = 0;
    for value in listed {
        let distance = value.wrapping_sub(last) & mask;
        let next = clusters.last().map_or(0, |cluster| u64::from(cluster.first_index) + cluster.span());
        match clusters.last_mut().filter(|_| distance <= CLUSTER_GAP) {
            Some(cluster) => {
                let offset = value.wrapping_sub(cluster.base) & mask;
                u8::try_from(u64::from(cluster.first_index) + offset).ok()?;
                cluster.offsets.push(offset as u8);
            }
            None => clusters.push(Cluster {
                base: value,
                first_index: u8::try_from(next).ok()?,
                offsets: vec![0],
            }),
        }
        last = value;
    }
    Some(clusters).filter(|clusters| clusters.len() <= CLUSTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that the indices stand for.
    fn decoded(listed: &[u64], width: Width) -> Option<Vec<u64>> {
        let mask = u64::mask(width);
        let clusters = clusters(&MayValues::Listed(listed.into()), width)?;
        for value in listed {
            assert_eq!(
                clusters.iter().filter(|cluster| cluster.index(*value, mask).is_some()).count(),
                1,
                "{value:#x}"
            );
        }
        let value_of = |cluster: &Cluster, index: u8| {
            cluster.base.wrapping_sub(u64::from(cluster.first_index)).wrapping_add(u64::from(index)) & mask
        };
        let mut values: Vec<(u8, u64)> = clusters
            .iter()
            .flat_map(|cluster| cluster.indices().map(move |index| (index, value_of(cluster, index))))
            .collect();
        values.sort_unstable();
        let indices: Vec<u8> = values.iter().map(|(index, _)| *index).collect();
        assert!(indices.windows(2).all(|pair| pair[0] < pair[1]), "each index stands for one value");
        let mut values: Vec<u64> = values.into_iter().map(|(_, value)| value).collect();
        values.sort_unstable();
        Some(values)
    }

    #[test]
    fn indices_stand_for_the_values_and_no_others() {
        let pointers = [0xc6fa, 0xc6fc, 0xc70f, 0x2002_ff4c, 0x2002_ff50];
        let around_zero = [0, 1, 2, 0xffff_fffe, 0xffff_ffff];
        let bytes: Vec<u64> = (0..256).collect();
        for values in [&pointers[..], &around_zero, &[7], &[0, 0xffff_ffff], &bytes] {
            assert_eq!(decoded(values, Width::W32).as_deref(), Some(values));
        }
        assert_eq!(decoded(&bytes, Width::W8).as_deref(), Some(&bytes[..]));
    }

    #[test]
    fn what_needs_more_than_a_byte_has_no_indices() {
        let many: Vec<u64> = (0..20).map(|number| number * 1000).collect();
        assert!(decoded(&many, Width::W32).is_none());
        let wide: Vec<u64> = (0..100).map(|number| number * 3).collect();
        assert!(decoded(&wide, Width::W32).is_none());
        assert!(clusters(&MayValues::all(Width::W32), Width::W32).is_none());
    }
}
