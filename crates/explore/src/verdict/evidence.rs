//! The evidence of an infeasible direction, in words.

use crate::verdict::coverage::DirectionRecord;

/// The evidence for a direction that none of all explored paths takes; `every` names them.
pub(crate) fn evidence(every: &str, known: &DirectionRecord) -> String {
    let queries = match known.unsat {
        0 => None,
        1 => Some("1 query for it was unsatisfiable".to_owned()),
        count => Some(format!("{count} queries for it were unsatisfiable")),
    };
    let constant = match known.constant {
        0 => None,
        1 => Some("its condition was constant once".to_owned()),
        count => Some(format!("its condition was constant {count} times")),
    };
    let shown: Vec<String> = queries.into_iter().chain(constant).collect();
    match shown.is_empty() {
        true => format!("{every} was explored, and none reaches the branch"),
        false => format!("{every} was explored: on those that reach the branch, {}", shown.join(", and ")),
    }
}
