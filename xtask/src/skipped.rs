//! Lists the checks that the last run skipped, by missing program, and the command that installs the programs.

use everypath_testkit::programs::{required, skipped};
use std::collections::BTreeMap;

/// Prints the list.
///
/// # Errors
/// If there is no record of a run.
pub fn run() -> Result<bool, String> {
    let no_record =
        |error| format!("no record of a run ({error}): run `cargo nextest run --workspace` first");
    let mut programs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for skipped in skipped().map_err(no_record)? {
        programs.entry(skipped.program).or_default().push(skipped.check);
    }
    if programs.is_empty() {
        println!("The last run skipped nothing.");
        return Ok(true);
    }
    println!("Skipped, wholly or in part:");
    for (program, checks) in &programs {
        println!("\nneeds {program}");
        for check in checks {
            println!("  {check}");
        }
    }
    let missing = required().into_iter().filter(|program| !program.is_installed());
    let mut packages: Vec<String> = missing.flat_map(|program| program.packages).collect();
    packages.sort();
    packages.dedup();
    if !packages.is_empty() {
        println!("\nTo run everything: apt-get install {}", packages.join(" "));
    }
    Ok(true)
}
