//! LCOV trace file (`geninfo(1)`): line, function and branch coverage, for `genhtml` and the many tools that read its format.
//!
//! A direction is taken once (`1`), not taken (`0`), or its branch is never executed (`-`): the format wants the number of times,
//! which is not recorded. An infeasible direction has no `BRDA` record, because the format cannot say that there is nothing to
//! cover; LCOV does the same to branches that a comment in the source excludes. See `line_coverage` for lines.

use std::fmt::Write;

use everypath_record::OutputFile;

use super::ReportData;
use super::line_coverage::{FileCoverage, LineCoverage};

/// The trace file, and the assembly that it refers to.
pub(super) fn files(data: &ReportData<'_>) -> Vec<OutputFile> {
    let coverage = LineCoverage::new(data);
    // LCOV replaces other characters in the name of a test, with a warning.
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let name = data.suite.summary.program.replace(|letter| !is_word(letter), "_");
    let mut text = String::new();
    for (path, file) in &coverage.files {
        let _ = write_file(&mut text, &name, &one_line(path), file);
    }
    let trace = OutputFile { path: "coverage.info".to_owned(), contents: text.into_bytes() };
    [trace].into_iter().chain(coverage.assembly).collect()
}

fn write_file(text: &mut String, name: &str, path: &str, file: &FileCoverage) -> std::fmt::Result {
    writeln!(text, "TN:{name}\nSF:{path}")?;
    for (name, function) in &file.functions {
        writeln!(text, "FN:{},{}", function.line, one_line(name))?;
    }
    for (name, function) in &file.functions {
        writeln!(text, "FNDA:{},{}", function.executions, one_line(name))?;
    }
    let functions = file.function_tally();
    writeln!(text, "FNF:{}\nFNH:{}", functions.all, functions.covered)?;
    for (number, line) in &file.lines {
        for (block, branch) in line.branches.iter().enumerate() {
            for (direction, is_taken) in branch.taken.iter().enumerate() {
                let taken = match (branch.is_executed, is_taken) {
                    (false, _) => "-",
                    (true, false) => "0",
                    (true, true) => "1",
                };
                writeln!(text, "BRDA:{number},{block},{direction},{taken}")?;
            }
        }
    }
    let directions = file.direction_tally();
    writeln!(text, "BRF:{}\nBRH:{}", directions.all, directions.covered)?;
    for (number, line) in &file.lines {
        writeln!(text, "DA:{number},{}", line.executions)?;
    }
    let lines = file.line_tally();
    writeln!(text, "LF:{}\nLH:{}\nend_of_record", lines.all, lines.covered)
}

/// Text for one record: a name in a damaged or hostile file may have line breaks.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
