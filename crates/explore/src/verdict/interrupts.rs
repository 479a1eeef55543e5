//! Verdicts on interrupt handlers: directions that no path has taken are open, because interrupts are not run wherever they could happen.

use std::collections::BTreeSet;

use everypath_environment::Guest;
use everypath_ir::Location;
use everypath_record::Direction;

use crate::map::handler_writes::Written;
use crate::map::handlers::{HandlerCode, Handlers};
use crate::verdict::coverage::Coverage;
use crate::verdict::ledger::{AssumptionKind, Ledger};

/// Adds their branch directions to the coverage as open, and records in the ledger that they are not run.
pub(crate) fn judge_handlers(
    guest: &Guest,
    handlers: &Handlers,
    interrupts: &str,
    (coverage, ledger): (&mut Coverage, &mut Ledger),
) {
    // The main program reaches these, too.
    let shared: BTreeSet<Direction> = coverage.directions().keys().copied().collect();
    for code in handlers.iter() {
        let HandlerCode { handler, directions, writes, registers, .. } = code;
        let (address, vector) = (handler.place.address, handler.vector);
        for direction in directions {
            coverage.discover(*direction);
            let is_own = !shared.contains(direction);
            if let Some(known) = coverage.record_of(*direction).filter(|_| is_own) {
                let reason = format!(
                    "only the interrupt with the vector at {vector:#x} reaches it, and {interrupts}; test the handler by \
                     itself with `[call]`"
                );
                known.unknown.insert(reason);
            }
        }
        if code.changes_registers() {
            let named = |location: &Location| guest.architecture().register_around(*location);
            let names: Vec<&str> = registers.iter().filter_map(named).collect();
            let which = match &names[..] {
                [] => "what the processor has saved of the interrupted program".to_owned(),
                names => format!("{}, and does not save it before", names.join(", ")),
            };
            let what =
                format!("{interrupts}, and this handler changes {which}: any decision may depend on it");
            ledger.note(AssumptionKind::Interrupt, address, what, true);
        }
        if writes.contains(&Written::Anywhere) {
            let what = format!("{interrupts}, and this handler writes memory at unknown addresses");
            ledger.note(AssumptionKind::Interrupt, address, what, true);
        } else {
            // A path sees what a handler does only where its interrupt was taken.
            let what = format!("{interrupts}: what this handler does elsewhere is not known");
            ledger.note(AssumptionKind::Interrupt, address, what, true);
        }
    }
}
