//! The evidence of an infeasible direction, in words.

use crate::verdict::coverage::DirectionRecord;

/// The evidence for a direction that none of all explored paths takes; `every` names them.
pub(crate) fn evidence(every: &str, known: &DirectionRecord) -> String {
    match (known.constant, known.unsat) {
        (0, 0) => format!("{every} was explored, and none reaches the branch"),
        (constant, none) => format!(
            "{every} was explored: on those that reach the branch, {none} queries for it were unsatisfiable, and {constant} times its condition was constant"
        ),
    }
}
