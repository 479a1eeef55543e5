//! The input domain of a generated program: cells, the maximum number of reads of each, and a numbering of all inputs.
//!
//! A program uses only the bits of a *mask*, so that enumerating the values within the mask enumerates all behaviours.

/// A volatile cell of one byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Its name in the configuration.
    pub(super) name: &'static str,
    /// Its symbol, and its offset from there.
    pub(super) symbol: &'static str,
    pub(super) offset: u64,
    pub(super) contents: Contents,
}

/// The source of a cell's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Input: the bits that matter, and the maximum number of reads in a run.
    Input { mask: u8, reads: u32 },
    /// These values in turn; the last one repeats.
    Script(Vec<u8>),
}

/// All cells of a program, in the order in which they share the bits of an input's number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Domain {
    pub(super) cells: Vec<Cell>,
}

impl Domain {
    /// The number of inputs.
    pub(super) fn size(&self) -> u64 {
        let bits = |cell: &Cell| match cell.contents {
            Contents::Input { mask, reads } => mask.count_ones() * reads,
            Contents::Script(_) => 0,
        };
        1 << self.cells.iter().map(bits).sum::<u32>()
    }

    /// The values of each input cell's reads for the input with this number.
    pub(super) fn values(&self, mut number: u64) -> Vec<(&'static str, Vec<u8>)> {
        let mut all = Vec::new();
        for cell in &self.cells {
            let Contents::Input { mask, reads } = cell.contents else { continue };
            let mut values = Vec::new();
            for _ in 0..reads {
                let bits = (0..8).filter(|bit| mask >> bit & 1 == 1);
                let mut value = 0;
                for bit in bits {
                    value |= ((number & 1) as u8) << bit;
                    number >>= 1;
                }
                values.push(value);
            }
            all.push((cell.name, values));
        }
        all
    }

    /// The number of the input that a test's cells describe; unread values are zero. `None` if it has more reads than
    /// any run.
    pub(super) fn number(&self, given: &[(String, Vec<u64>)]) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        for cell in &self.cells {
            let Contents::Input { mask, reads } = cell.contents else { continue };
            let values =
                given.iter().find(|(name, _)| name == cell.name).map_or(&[][..], |(_, values)| values);
            if values.len() > reads as usize {
                return None;
            }
            for read in 0..reads as usize {
                let value = values.get(read).copied().unwrap_or(0);
                for bit in (0..8).filter(|bit| mask >> bit & 1 == 1) {
                    number |= (value >> bit & 1) << shift;
                    shift += 1;
                }
            }
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_values_are_inverse() {
        let cell = |name, mask, reads| Cell {
            name,
            symbol: name,
            offset: 0,
            contents: Contents::Input { mask, reads },
        };
        let domain = Domain { cells: vec![cell("a", 0x0f, 2), cell("b", 0x81, 1)] };
        assert_eq!(domain.size(), 1 << 10);
        for number in 0..domain.size() {
            let values = domain.values(number).into_iter();
            let given: Vec<(String, Vec<u64>)> = values
                .map(|(name, values)| (name.to_owned(), values.into_iter().map(u64::from).collect()))
                .collect();
            assert_eq!(domain.number(&given), Some(number));
        }
        assert_eq!(domain.number(&[("b".to_owned(), vec![0, 0])]), None);
    }
}
