//! Rates over several rounds: the best and the median.

use std::fmt;
use std::time::Duration;

/// Instructions a second, round by round.
#[derive(Clone, Debug)]
pub(super) struct Rates(Vec<f64>);

impl Rates {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn add(&mut self, instructions: u64, time: Duration) {
        self.0.push(instructions as f64 / time.as_secs_f64());
    }

    pub(super) fn best(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    pub(super) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        match (sorted.len() / 2, sorted.len() % 2) {
            (0, 0) => 0.0,
            (middle, 0) => (sorted[middle - 1] + sorted[middle]) / 2.0,
            (middle, _) => sorted[middle],
        }
    }

    /// The speed-up over another one: by the best rounds and by the medians.
    pub(super) fn ratios(&self, other: &Self) -> (f64, f64) {
        (self.best() / other.best(), self.median() / other.median())
    }
}

impl fmt::Display for Rates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:>12.0} {:>12.0}", self.best(), self.median())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_median_and_ratio() {
        let rates = |seconds: &[u64]| {
            let mut rates = Rates::new();
            for second in seconds {
                rates.add(120, Duration::from_secs(*second));
            }
            rates
        };
        let (odd, even) = (rates(&[3, 1, 2]), rates(&[4, 2, 1, 3]));
        assert_eq!((odd.best(), odd.median()), (120.0, 60.0));
        assert_eq!((even.best(), even.median()), (120.0, 50.0));
        assert_eq!(odd.ratios(&even), (1.0, 1.2));
    }
}
