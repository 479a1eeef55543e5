//! Solver benchmarks: the stack, beside bare SMT solvers that get the same queries over a pipe; all in CPU time.

mod child;
mod clock;
mod hard;
mod many;
mod small;

use everypath_solve::SolverProgram;

/// Options of the measurement.
#[derive(Clone, Debug)]
pub struct SolveOptions {
    /// Only this part, by its name.
    pub part: Option<String>,
    /// The time limit of each hard query, in seconds.
    pub seconds: u64,
    /// Only hard queries with this in their name.
    pub family: Option<String>,
    /// Whether to omit the other solvers, and with them the thresholds.
    pub alone: bool,
}

/// Measures and prints; returns whether the thresholds hold.
///
/// # Errors
/// If a solver cannot be started.
pub fn solve(options: &SolveOptions) -> Result<bool, String> {
    for program in bare().iter().filter(|_| !options.alone) {
        let version = program.version();
        let version =
            version.ok_or_else(|| format!("{} is missing: install the Debian package", program.name))?;
        println!("{}: {version}", program.name);
    }
    let parts: [(&str, Part); 3] = [("small", small::run), ("hard", hard::run), ("many", many::run)];
    let wanted: Vec<_> =
        parts.iter().filter(|(name, _)| options.part.as_deref().is_none_or(|part| part == *name)).collect();
    if wanted.is_empty() {
        return Err("the parts are small, hard and many".to_owned());
    }
    let mut good = true;
    for (_, run) in wanted {
        good &= run(options)?;
    }
    Ok(good)
}

/// A part of the measurement.
type Part = fn(&SolveOptions) -> Result<bool, String>;

/// The solvers to be compared with.
fn bare() -> [SolverProgram; 2] {
    [SolverProgram::z3(), SolverProgram::cvc5()]
}
