//! The details of a search by function.

use crate::ui::model::FunctionRow;
use everypath::Locator;
use everypath_explore::{DirectionStatus, FunctionCode, SearchDetails};
use std::collections::{BTreeMap, HashMap};

/// The functions of instructions, each looked up once.
pub(super) struct Functions<'b> {
    locator: Locator<'b>,
    /// By address, the name.
    names: HashMap<u64, String>,
    /// By name, the code.
    codes: BTreeMap<String, FunctionCode>,
}

impl<'b> Functions<'b> {
    pub(super) fn new(locator: Locator<'b>) -> Functions<'b> {
        Functions { locator, names: HashMap::new(), codes: BTreeMap::new() }
    }

    pub(super) fn locator(&self) -> &Locator<'b> {
        &self.locator
    }

    /// The code of the functions that were looked up.
    pub(super) fn codes(&self) -> &BTreeMap<String, FunctionCode> {
        &self.codes
    }

    /// The name of the function of an instruction. Code that belongs to no function is one of its own.
    fn name(&mut self, address: u64) -> &str {
        self.names.entry(address).or_insert_with(|| {
            let code = self.locator.function_code(address).unwrap_or_else(|| {
                FunctionCode::in_one_piece(format!("{address:#x}"), address..address.saturating_add(1))
            });
            let name = code.name.clone();
            self.codes.entry(name.clone()).or_insert(code);
            name
        })
    }

    /// The rows of functions, and the reasons why directions are open, each with its count.
    pub(super) fn rows(&mut self, details: &SearchDetails) -> (Vec<FunctionRow>, Vec<(String, u64)>) {
        let (mut rows, mut reasons) = (BTreeMap::<String, FunctionRow>::new(), BTreeMap::new());
        for (direction, status) in &details.directions {
            let row = rows.entry(self.name(direction.branch.0).to_owned()).or_default();
            match status {
                DirectionStatus::Covered => row.covered += 1,
                DirectionStatus::Infeasible => row.infeasible += 1,
                DirectionStatus::Open(reason) => {
                    row.open += 1;
                    *reasons.entry(reason.to_string()).or_insert(0) += 1;
                }
            }
        }
        for (address, pending) in &details.pending {
            rows.entry(self.name(*address).to_owned()).or_default().pending += *pending as u64;
        }
        let named = |(name, row)| FunctionRow { name, ..row };
        (rows.into_iter().map(named).collect(), reasons.into_iter().collect())
    }
}
