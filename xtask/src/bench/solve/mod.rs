//! How fast the solver stack answers, beside bare SMT solvers that get the same questions by pipe; processor time of all.

mod child;
mod clock;
mod hard;
mod small;

use everypath_solve::Program;

/// Measures and prints; whether the bars hold.
///
/// # Errors
/// If a solver cannot be started.
pub fn solve(seconds: u64) -> Result<bool, String> {
    for program in bare() {
        let version = program.version();
        let version =
            version.ok_or_else(|| format!("{} is missing: install the Debian package", program.name))?;
        println!("{}: {version}", program.name);
    }
    let small = small::run()?;
    let hard = hard::run(seconds)?;
    Ok(small && hard)
}

/// The solvers to be compared with.
fn bare() -> [Program; 2] {
    [Program::z3(), Program::cvc5()]
}
