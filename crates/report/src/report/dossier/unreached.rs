//! Sections of chapter 3: functions that no entry reaches, for the analysis of dead and deactivated code (DO-178C, 6.4.4.3), and
//! functions that are reached and not executed.

use everypath_record::{Address, Summary, UnreachedCode, UnreachedFunction};

use super::super::unexecuted::{UnexecutedFunction, unexecuted_functions};
use super::document::{DossierDocument, cell};
use super::index::{DossierIndex, file_line};
use super::prose::Prose;
use crate::number::counted;
use crate::with_separators;

const UNREACHED: &[(&str, u8)] = &[
    ("function", 26),
    ("entry", 14),
    ("bytes", 8),
    ("source line", 16),
    ("known from", 10),
    ("dead, or deactivated, and why", 14),
];
const UNEXECUTED: &[(&str, u8)] =
    &[("function", 28), ("entry", 14), ("bytes", 8), ("source line", 18), ("what leads there", 20)];
const RANGES: &[(&str, u8)] = &[("range", 44), ("bytes", 44)];

/// Maximum number of ranges of unassigned bytes that are listed.
const SHOWN: usize = 200;

/// Writes the sections.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    document.section("Code that no entry reaches");
    match &index.summary().unreached {
        Some(code) => write_unreached(index.summary(), code, document),
        None => document.state(
            "UNR",
            "Which code of the program no entry reaches was not determined: one function was tested by itself, the control-flow graph was too large, or the results are of an older version.",
        ),
    }
    write_unexecuted(index, document);
}

fn write_unreached(summary: &Summary, code: &UnreachedCode, document: &mut DossierDocument) {
    let unresolved = summary.indirect_exits.iter().filter(|exit| !exit.resolved).count() as u64;
    let reserve = match unresolved {
        0 => String::new(),
        count => format!(
            " {} that {} not resolved could lead there only by an address that is computed and stored nowhere.",
            counted(count, "indirect exit"),
            if count == 1 { "is" } else { "are" }
        ),
    };
    let found = match code.functions.len() as u64 {
        0 => "No function that a symbol or an unwind table names is outside of it; a program without both names none.".to_owned(),
        1 => format!(
            "1 function ({}) that a symbol or an unwind table names is not in it, nor was it executed: dead code, or code that is deactivated in this configuration, which is for the reviewer to decide.{reserve}",
            counted(code.function_bytes(), "byte")
        ),
        count => format!(
            "{} functions ({}) that symbols or unwind tables name are not in it, nor were they executed: dead code, or code that is deactivated in this configuration, which is for the reviewer to decide.{reserve}",
            with_separators(count),
            counted(code.function_bytes(), "byte")
        ),
    };
    document.state(
        "UNR",
        format!(
            "The directions of this document are those of the code that the control-flow graph reaches. The graph is recovered from the entries of the program, its interrupt vectors, and the addresses that code and data hold. {found}"
        ),
    );
    let rows = code.functions.iter().map(|function| {
        let UnreachedFunction { name, address, size, evidence, .. } = function;
        vec![
            cell(Prose::code(name)),
            cell(Prose::code(address.to_string())),
            cell(with_separators(*size)),
            cell(source(function)),
            cell(evidence.as_str()),
            cell(Prose::blank()),
        ]
    });
    document.table("UNF", UNREACHED, rows);
    if code.unassigned_bytes > 0 {
        let listed = match code.unassigned.len() {
            0 => "",
            count if count <= SHOWN => "; the table has those that are longer than padding between functions",
            _ => "; the table has the first of those that are longer than padding between functions",
        };
        document.state(
            "UNR",
            format!(
                "{} of executable memory {} in no function and in no basic block: padding, constants, or code that nothing names{listed}.",
                counted(code.unassigned_bytes, "byte"),
                if code.unassigned_bytes == 1 { "is" } else { "are" },
            ),
        );
    }
    let rows = code.unassigned.iter().take(SHOWN).map(|range| {
        let last = Address(range.start.0.wrapping_add(range.size).wrapping_sub(1));
        vec![cell(Prose::code(format!("{} to {last}", range.start))), cell(with_separators(range.size))]
    });
    document.table("UNB", RANGES, rows);
}

/// The source line of a function's entry, without folders.
fn source(function: &UnreachedFunction) -> Prose {
    let line = function.source.as_ref().map(|source| file_line(&source.file, source.line));
    line.map_or_else(Prose::default, Prose::code)
}

fn write_unexecuted(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let functions = unexecuted_functions(index.data);
    document.section("Functions that no test executes");
    document.state(
        "UNX",
        match functions.len() as u64 {
            0 => "Every function that this document lists and an entry reaches is executed by a test or a trace.".to_owned(),
            count => format!(
                "{} in the control-flow graph, and no test and no trace executes an instruction of {}. To those that are called, or jumped to, an open or infeasible direction leads; of the others, only the address is held by code or data, and nothing is known to call them.",
                if count == 1 { "This function is".to_owned() } else { format!("These {} functions are", with_separators(count)) },
                if count == 1 { "it" } else { "them" },
            ),
        },
    );
    let rows = functions.iter().map(|unexecuted| {
        let UnexecutedFunction { function, referenced } = unexecuted;
        let what = match referenced {
            Some(one) if one.evidence == "data-pointer" => "data holds its address",
            Some(one) if one.evidence == "pointer" => "code computes its address",
            Some(_) => "code to whose address alone something refers",
            None => "control flow from an entry",
        };
        vec![
            cell(Prose::code(&function.name)),
            cell(Prose::code(function.address.to_string())),
            cell(with_separators(unexecuted.size())),
            cell(index.unvisited_source(function)),
            cell(what),
        ]
    });
    document.table("UNE", UNEXECUTED, rows);
}
