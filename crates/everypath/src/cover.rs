//! Coverage that was measured elsewhere: the branch directions of a program, judged by traces alone.

use crate::binary::Binary;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::trace::ExecutionTrace;

/// Why a direction is open that was only measured.
const NOT_TRACED: &str = "no trace takes it, and no input was looked for; `everypath test --trace` does that";

impl Binary {
    /// Judges the branch directions of the program by traces alone: covered by a trace, infeasible by static analysis, or open.
    ///
    /// ```
    /// use everypath::{Binary, RecordedExecution, ExecutionTrace, Verdict};
    /// // movx a,@dptr; jz 4; inc a; sjmp 4
    /// let binary = Binary::options().architecture("8051").raw(0).read(b"\xe0\x60\x01\x04\x80\xfe")?;
    /// let execution = RecordedExecution::InOrder(vec![vec![0, 1, 3, 4]]);
    /// let trace = ExecutionTrace { name: "bench".to_owned(), hash: String::new(), execution };
    /// let outcome = binary.cover(&[trace])?;
    /// let covered = outcome.verdicts().iter().filter(|judged| matches!(judged.verdict, Verdict::Covered { .. }));
    /// assert_eq!(covered.map(|judged| judged.direction.to_string()).collect::<Vec<_>>(), ["0x1 -> 0x3"]);
    /// # Ok::<(), everypath::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`crate::ExplorationBuilder::run`].
    pub fn cover(&self, traces: &[ExecutionTrace]) -> Result<Outcome, Error> {
        let mut outcome = self.explore().paths(0).run()?;
        outcome.forget_tests(NOT_TRACED);
        outcome.credit(traces)?;
        Ok(outcome)
    }
}
