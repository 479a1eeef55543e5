//! `everypath check-certificate`: checks an unsatisfiability certificate independently of the solver that made it.

use crate::document;
use crate::failure::Failure;
use everypath_solve::QueryLimits;
use everypath_solve::proof::{Certificate, Opinion, check_certificate};
use std::fs;
use std::io::Write;
use std::path::Path;

pub(super) fn run(
    path: &Path,
    export: Option<&Path>,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let name = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("{name} cannot be read: {error}")))?;
    let accepted = check_certificate(&text, QueryLimits::default())
        .map_err(|why| Failure::Input(format!("{name} is refused: {why}; it proves nothing")))?;
    if let Some(folder) = export {
        write_parts(&text, folder)?;
    }
    let opinion = |Opinion { solver, version, answer }: &Opinion| format!("{solver} {version}: {answer}");
    let content = document::Certificate {
        conditions: accepted.conditions,
        core: accepted.core,
        clauses: accepted.clauses,
        steps: accepted.steps,
        opinions: accepted.opinions.iter().map(opinion).collect(),
    };
    if json {
        return document::write(out, "everypath.check-certificate", &content);
    }
    let places: Vec<String> = content.core.iter().map(ToString::to_string).collect();
    writeln!(
        out,
        "accepted: no input makes conditions {} (of {}) true together",
        places.join(", "),
        content.conditions
    )?;
    writeln!(out, "{} clauses, {} steps of proof", content.clauses, content.steps)?;
    for opinion in &content.opinions {
        writeln!(out, "noted, not checked: {opinion}")?;
    }
    Ok(())
}

/// Writes the parts of a certificate in the formats of other checkers.
fn write_parts(text: &str, folder: &Path) -> Result<(), Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", folder.display()));
    let certificate: Certificate = text.parse().map_err(|error| fail(&error))?;
    fs::create_dir_all(folder).map_err(|error| fail(&error))?;
    for (name, part) in [
        ("query.smt2", certificate.query().to_owned() + "(check-sat)\n"),
        ("clauses.cnf", certificate.cnf().to_string()),
        ("proof.lrat", certificate.proof().to_string()),
    ] {
        fs::write(folder.join(name), part).map_err(|error| fail(&error))?;
    }
    Ok(())
}
