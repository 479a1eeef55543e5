//! How fast the solver stack answers, beside bare SMT solvers that get the same questions by pipe; processor time of all.

mod child;
mod clock;
mod hard;
mod many;
mod small;

use everypath_solve::Program;

/// What is measured.
#[derive(Clone, Debug)]
pub struct SolveOptions {
    /// Only this part, by its name.
    pub part: Option<String>,
    /// How many seconds each hard question may take.
    pub seconds: u64,
    /// Only hard questions with this in their name.
    pub family: Option<String>,
    /// Whether the other solvers are left out, and with them the bars.
    pub alone: bool,
}

/// Measures and prints; whether the bars hold.
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
fn bare() -> [Program; 2] {
    [Program::z3(), Program::cvc5()]
}
