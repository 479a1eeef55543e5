//! The results of a qualification as Markdown: identification, requirements with their cases, traceability, results, known
//! problems, and places to sign.

use crate::qualification::{CaseResult, CheckResult, Qualification};
use crate::requirement::Requirement;
use std::fmt::Write;

/// The maximum number of command lines of a check that are shown; the JSON document has all.
const COMMANDS: usize = 3;

/// Renders the document.
pub(crate) fn render(qualification: &Qualification) -> String {
    let mut text = String::from("# Everypath: tool qualification report\n");
    // Writing to a string does not fail.
    let _ = identification(qualification, &mut text);
    let _ = requirements(qualification, &mut text);
    let _ = traceability(qualification, &mut text);
    let _ = results(qualification, &mut text);
    let _ = known_problems(qualification, &mut text);
    let _ = signatures(&mut text);
    text
}

fn identification(qualification: &Qualification, text: &mut String) -> std::fmt::Result {
    let environment = &qualification.environment;
    let (checks, failed) = qualification.counts();
    let date = if qualification.date.is_empty() { "&nbsp;" } else { &qualification.date };
    writeln!(text, "\n**Outcome: {}** ({checks} checks, {failed} failed)\n", qualification.outcome().name())?;
    writeln!(text, "## 1 Identification\n\n| | |\n|---|---|")?;
    let rows = [
        ("tool", format!("Everypath {}", environment.version)),
        ("executable", format!("`{}`, {} bytes", environment.command, environment.command_size)),
        ("SHA-256 of the executable", format!("`{}`", environment.command_digest)),
        ("operating system", environment.system.clone()),
        ("kernel", environment.kernel.clone()),
        ("processor", environment.processor.clone()),
        ("architectures", qualification.architectures.join(", ")),
        ("of these with instruction vectors only", or_none(&qualification.without_programs)),
        ("date", date.to_owned()),
    ];
    for (name, value) in rows {
        writeln!(text, "| {name} | {} |", cell(&value))?;
    }
    writeln!(
        text,
        "\nThis report is evidence for a tool qualification: the verification of tool operational requirements in the user's \
         operational environment (DO-330, tool qualification level 5), and the validation of a software tool (ISO 26262-8, \
         clause 11). It is no qualification: which level or confidence is needed, and whether these requirements are those \
         that the user relies on, is decided in the project that uses the tool.\n\n\
         Cases run the executable above. The cases that run every input, and the instruction vectors, are run by the same \
         executable on its own concrete machine; the limits of each requirement name what is independent of it."
    )
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn requirements(qualification: &Qualification, text: &mut String) -> std::fmt::Result {
    writeln!(text, "\n## 2 Tool operational requirements and verification cases")?;
    for Requirement { identifier, title, text: required, rationale, limits, cases } in
        &qualification.requirements
    {
        writeln!(text, "\n### {identifier} {title}\n\n{required}\n")?;
        writeln!(text, "*Rationale:* {rationale}\n\n*Limits of the verification:* {limits}\n")?;
        writeln!(text, "| case | procedure | expected result |\n|---|---|---|")?;
        for case in cases {
            let (procedure, expected) = (cell(&case.procedure), cell(&case.expected));
            writeln!(text, "| {} | {procedure} | {expected} |", case.identifier)?;
        }
    }
    Ok(())
}

fn traceability(qualification: &Qualification, text: &mut String) -> std::fmt::Result {
    writeln!(
        text,
        "\n## 3 Traceability\n\n| requirement | case | checks | failed | result |\n|---|---|---|---|---|"
    )?;
    for result in &qualification.cases {
        let failed = result.checks.iter().filter(|check| !check.faults.is_empty()).count();
        let (requirement, case, checks) = (&result.requirement, &result.case, result.checks.len());
        writeln!(text, "| {requirement} | {case} | {checks} | {failed} | {} |", result.outcome().name())?;
    }
    writeln!(text, "\n| requirement | result |\n|---|---|")?;
    for Requirement { identifier, .. } in &qualification.requirements {
        writeln!(text, "| {identifier} | {} |", qualification.outcome_of(identifier).name())?;
    }
    Ok(())
}

fn results(qualification: &Qualification, text: &mut String) -> std::fmt::Result {
    writeln!(
        text,
        "\n## 4 Results\n\nCommands are relative to the folder of this report, in which the files of each case are kept under \
         `work`; `qualification.json` lists all commands."
    )?;
    for CaseResult { case, checks, .. } in &qualification.cases {
        writeln!(text, "\n### {case}\n")?;
        if checks.is_empty() {
            writeln!(text, "Not run: there is no program for the chosen architectures.")?;
            continue;
        }
        writeln!(text, "| subject | result | observed |\n|---|---|---|")?;
        for check in checks {
            let CheckResult { subject, observed, faults, .. } = check;
            let result = if faults.is_empty() { "passed" } else { "**failed**" };
            let lines = std::iter::once(observed).chain(faults).map(|line| cell(line));
            let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
            writeln!(text, "| {subject} | {result} | {} |", lines.join("<br>"))?;
        }
        // The commands of the first program stand for the others, which differ in names.
        if let Some(CheckResult { commands, .. }) = checks.first().filter(|check| !check.commands.is_empty())
        {
            writeln!(text, "\nCommands of the first one:\n\n```console")?;
            for line in commands.iter().take(COMMANDS) {
                writeln!(text, "$ {line}")?;
            }
            if let Some(more) = commands.len().checked_sub(COMMANDS).filter(|more| *more > 0) {
                writeln!(text, "# and {more} more")?;
            }
            writeln!(text, "```")?;
        }
    }
    Ok(())
}

fn known_problems(qualification: &Qualification, text: &mut String) -> std::fmt::Result {
    writeln!(text, "\n## 5 Known problems\n\n| | problem | effect | measure |\n|---|---|---|---|")?;
    for problem in &qualification.known_problems {
        let cells = [&problem.problem, &problem.effect, &problem.measure].map(|part| cell(part));
        writeln!(text, "| {} | {} |", problem.identifier, cells.join(" | "))?;
    }
    Ok(())
}

fn signatures(text: &mut String) -> std::fmt::Result {
    writeln!(text, "\n## 6 Signatures\n\n| role | name | date | signature |\n|---|---|---|---|")?;
    for role in ["carried out by", "reviewed by", "approved by"] {
        writeln!(text, "| {role} | &nbsp; | &nbsp; | &nbsp; |")?;
    }
    Ok(())
}

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
