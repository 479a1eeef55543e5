//! Verdicts on interrupt handlers: their directions are open, because interrupts are not run.

use crate::map::handler_writes::Written;
use crate::map::handlers::{HandlerCode, Handlers};
use crate::verdict::coverage::Coverage;
use crate::verdict::ledger::{Kind, Ledger};

/// Adds their branch directions to the coverage as open, and records in the ledger that they are not run.
pub(crate) fn judge_handlers(handlers: &Handlers, coverage: &mut Coverage, ledger: &mut Ledger) {
    for HandlerCode { handler, directions, writes } in handlers.iter() {
        let (address, vector) = (handler.place.address, handler.vector);
        for direction in directions {
            coverage.discover(*direction);
            if let Some(known) = coverage.record_of(*direction) {
                let reason = format!(
                    "only the interrupt with the vector at {vector:#x} reaches it, and interrupts are not simulated; test \
                     the handler by itself with `[call]`"
                );
                known.unknown.insert(reason);
            }
        }
        if writes.contains(&Written::Anywhere) {
            let what = "interrupts are not simulated, and this handler writes memory at unknown addresses";
            ledger.note(Kind::Interrupt, address, what, true);
        } else if !directions.is_empty() {
            ledger.note(
                Kind::Interrupt,
                address,
                "interrupts are not simulated: this handler was not run",
                true,
            );
        }
    }
}
