//! The forms of a program, each with the results so far.

use super::executable::{CODE, PAGE};
use super::harvest::{Found, Instance, KEPT, WINDOW};
use super::probe::Probe;
use super::report::{Reason, Report};
use everypath_record::mnemonic;
use std::collections::BTreeMap;
use std::ops::Range;

/// A form under comparison.
pub(super) struct Work {
    pub(super) form: String,
    pub(super) found: Found,
    /// The examination of each instance, once it was done.
    pub(super) probes: Vec<Option<Result<Probe, Reason>>>,
    /// For each instance, the register that redirected its last access into the data.
    pub(super) hints: Vec<Option<usize>>,
    /// The number of compared cases.
    pub(super) compared: u64,
    /// The number of cases without differences.
    pub(super) equal: u64,
    /// The reason of the first case that was not compared.
    pub(super) reason: Option<Reason>,
}

impl Work {
    /// Records the reason why a case was not compared.
    pub(super) fn skip(&mut self, reason: Reason) {
        self.reason.get_or_insert(reason);
    }
}

/// All instructions by home address.
pub(super) struct Homes {
    instances: Vec<Instance>,
    /// The size of the instructions of one pass, one of each form, in whole pages.
    stride: u64,
}

impl Homes {
    /// The addresses that a pass executes.
    pub(super) fn of_pass(&self, pass: usize) -> Range<u64> {
        let start = CODE + self.stride * pass as u64;
        start..start + self.stride
    }

    /// The first address above all home addresses.
    pub(super) fn free(&self) -> u64 {
        self.of_pass(KEPT - 1).end
    }

    /// The instructions with a home in a range of addresses.
    pub(super) fn within(&self, addresses: Range<u64>) -> impl Iterator<Item = &Instance> {
        self.instances.iter().filter(move |instance| addresses.contains(&instance.home))
    }
}

/// All forms, and all instructions by home address.
pub(super) fn works(found: BTreeMap<String, Found>) -> (Vec<Work>, Homes) {
    let work = |(form, found): (String, Found)| Work {
        probes: vec![None; found.instances.len()],
        hints: vec![None; found.instances.len()],
        form,
        found,
        compared: 0,
        equal: 0,
        reason: None,
    };
    let mut works: Vec<Work> = found.into_iter().map(work).collect();
    let stride = (works.len() * WINDOW) as u64;
    let mut homes = Homes { instances: Vec::new(), stride: stride.next_multiple_of(PAGE) };
    for pass in 0..KEPT {
        let start = homes.of_pass(pass).start;
        let instances = works.iter_mut().filter_map(|work| work.found.instances.get_mut(pass));
        for (number, instance) in instances.enumerate() {
            instance.home = start + (number * WINDOW) as u64;
            homes.instances.push(instance.clone());
        }
    }
    (works, homes)
}

/// Counts the forms that are covered, and why the others are not.
pub(super) fn count(works: Vec<Work>, report: &mut Report) {
    for work in works {
        report.forms.0 += 1;
        report.forms.1 += work.found.count;
        if work.compared > 0 {
            let counts = report.mnemonics.entry(mnemonic(&work.form).to_owned()).or_default();
            counts.0 += work.equal;
            counts.1 += work.compared - work.equal;
        }
        if work.equal > 0 {
            report.covered.0 += 1;
            report.covered.1 += work.found.count;
            continue;
        }
        let reason = match work.reason {
            _ if work.compared > 0 => Reason::new("compared, and every case differs", work.form.clone()),
            Some(reason) => reason,
            None => Reason::new("no time was left", ""),
        };
        report.uncovered.push((work.form, work.found.count, reason.clone()));
        let entry = report.skipped.entry(reason.why).or_default().entry(reason.about).or_default();
        entry.0 += 1;
        entry.1 += work.found.count;
    }
}
