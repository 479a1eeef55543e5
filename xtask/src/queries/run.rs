//! Explores the classic guests until enough queries were made, and compares the answers to all of them.

use super::compared::{Compared, Tally};
use crate::bench::subject;
use everypath_explore::{Bounds, Criterion, Explorer, Observer, Plan, ProgressReport};
use everypath_testkit::guests::targets;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// Options of the comparison.
pub struct Options {
    /// The number of queries.
    pub count: u64,
    /// The maximum number of queries of one program.
    pub each: u64,
}

/// The guests with the most queries per time, and last one with long queries.
const GUESTS: [&str; 10] =
    ["triangle", "cell", "list", "header", "msquare3", "bsearch", "mergesort", "calc", "tlv", "hysteresis"];

/// Stops an exploration after enough queries.
struct Until {
    questions: u64,
}

impl Observer for Until {
    fn on_progress(&mut self, now: &dyn Fn() -> ProgressReport) -> bool {
        now().queries < self.questions
    }
}

/// Compares, prints, and returns whether all agree.
///
/// # Errors
/// If a guest cannot be compiled or loaded, or there are too few queries.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let tally = Rc::new(RefCell::new(Tally::default()));
    let targets = targets(root)?;
    let levels = targets.iter().flat_map(|target| target.levels.iter().map(move |level| (target, level)));
    let levels: Vec<_> = levels.collect();
    'all: for name in GUESTS {
        for &(target, level) in &levels {
            let before = tally.borrow().questions();
            if before >= options.count {
                break 'all;
            }
            let subject = subject(root, target, level, name)?;
            let plan = Plan {
                criterion: Criterion::Path,
                bounds: Bounds { seconds: Some(120), ..Bounds::default() },
                ..Plan::default()
            };
            let solver = Box::new(Compared::new(Rc::clone(&tally)));
            let explorer = Explorer::new(&subject.guest, &subject.configuration, plan, solver)
                .map_err(|error| format!("{name} for {}: {error}", target.name))?;
            explorer.run(&mut Until { questions: options.each.min(options.count - before) });
            println!(
                "{:10} {:5} {:11} {:6} questions",
                target.name,
                level,
                name,
                tally.borrow().questions() - before
            );
        }
    }
    let tally = tally.borrow();
    println!(
        "{} questions: {} with a model, {} without, {} open; {} answers compared, {} left out, {} differ",
        tally.questions(),
        tally.models,
        tally.none,
        tally.unknown,
        tally.compared,
        tally.left_out,
        tally.faults.len()
    );
    for fault in tally.faults.iter().take(5) {
        println!("{fault}");
    }
    if tally.questions() < options.count {
        return Err(format!("{} questions were wanted, there are no more", options.count));
    }
    Ok(tally.faults.is_empty())
}
