//! Oracles and search strategies that a caller adds to the built-in ones.

use everypath_environment::GuestError;
use everypath_oracle::{ALL as ORACLES, Definition};

use crate::strategy::{ALL as STRATEGIES, StrategyEntry};

/// Oracles and strategies in addition to the built-in ones. A plan selects from both by name.
#[derive(Default)]
pub struct Extensions {
    /// Further oracles.
    pub oracles: Vec<Definition>,
    /// Further search strategies.
    pub strategies: Vec<StrategyEntry>,
}

impl Extensions {
    /// Every oracle, the built-in ones first.
    pub(crate) fn all_oracles(&self) -> impl Iterator<Item = &Definition> + Clone {
        ORACLES.iter().chain(&self.oracles)
    }

    fn all_strategies(&self) -> impl Iterator<Item = &StrategyEntry> {
        STRATEGIES.iter().chain(&self.strategies)
    }

    /// The strategy of this name.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn strategy(&self, name: &str) -> Result<&StrategyEntry, GuestError> {
        self.all_strategies().find(|entry| entry.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.all_strategies().map(|entry| entry.name).collect();
            let known = names.join(", ");
            GuestError::new(format!("unknown strategy `{name}`; available: {known}"))
        })
    }

    /// Rejects two oracles or two strategies of one name, of which a plan could select only the first.
    pub(crate) fn check_names(&self) -> Result<(), GuestError> {
        let oracles = self.all_oracles().map(|oracle| ("oracle", oracle.name));
        let strategies = self.all_strategies().map(|entry| ("strategy", entry.name));
        let mut seen = std::collections::BTreeSet::new();
        match oracles.chain(strategies).find(|named| !seen.insert(*named)) {
            Some((kind, name)) => Err(GuestError::new(format!("there are two {kind} definitions `{name}`"))),
            None => Ok(()),
        }
    }
}
