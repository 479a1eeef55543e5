//! Cobertura XML (`coverage-04.dtd`): line and branch coverage, for build servers.
//!
//! A package is a folder, a class a file, a method a function, a condition a branch instruction. An infeasible direction is left
//! out, as in the LCOV format: the condition of a branch with one feasible direction is covered when that one is. The time stamp,
//! which the format demands, is 0, so that the same results give the same file. See `line_coverage` for lines.

use std::collections::BTreeMap;
use std::fmt;

use everypath_record::OutputFile;

use super::ReportData;
use super::line_coverage::{FileCoverage, FunctionCounts, LineCounts, LineCoverage, Tally};
use super::xml::XmlWriter;

/// The files of each folder, with their paths.
type Folders<'c> = BTreeMap<&'c str, Vec<(&'c str, &'c FileCoverage)>>;

/// The document, and the assembly that it refers to.
pub(super) fn files(data: &ReportData<'_>) -> Vec<OutputFile> {
    let coverage = LineCoverage::new(data);
    let mut folders: Folders<'_> = BTreeMap::new();
    for (path, file) in &coverage.files {
        let folder = path.rfind(['/', '\\']).map_or("", |end| &path[..end]);
        folders.entry(folder).or_default().push((path, file));
    }
    let lines: Tally = coverage.files.values().map(FileCoverage::line_tally).sum();
    let directions: Tally = coverage.files.values().map(FileCoverage::direction_tally).sum();
    let mut xml = XmlWriter::new();
    xml.element(
        "coverage",
        &[
            ("line-rate", &Rate(lines)),
            ("branch-rate", &Rate(directions)),
            ("lines-covered", &lines.covered),
            ("lines-valid", &lines.all),
            ("branches-covered", &directions.covered),
            ("branches-valid", &directions.all),
            ("complexity", &0),
            ("version", &concat!("everypath ", env!("CARGO_PKG_VERSION"))),
            ("timestamp", &0),
        ],
        |xml| {
            xml.element("sources", &[], |xml| xml.text("source", &[], "."));
            xml.element("packages", &[], |xml| {
                for (folder, files) in &folders {
                    write_package(xml, folder, files);
                }
            });
        },
    );
    let document = OutputFile { path: "coverage.xml".to_owned(), contents: xml.into_bytes() };
    [document].into_iter().chain(coverage.assembly).collect()
}

fn write_package(xml: &mut XmlWriter, folder: &str, files: &[(&str, &FileCoverage)]) {
    let lines: Tally = files.iter().map(|(_, file)| file.line_tally()).sum();
    let directions: Tally = files.iter().map(|(_, file)| file.direction_tally()).sum();
    let rates: [(&str, &dyn fmt::Display); 4] = [
        ("name", &folder),
        ("line-rate", &Rate(lines)),
        ("branch-rate", &Rate(directions)),
        ("complexity", &0),
    ];
    xml.element("package", &rates, |xml| {
        xml.element("classes", &[], |xml| {
            for (path, file) in files {
                write_class(xml, path, file);
            }
        });
    });
}

fn write_class(xml: &mut XmlWriter, path: &str, file: &FileCoverage) {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let attributes: [(&str, &dyn fmt::Display); 5] = [
        ("name", &name),
        ("filename", &path),
        ("line-rate", &Rate(file.line_tally())),
        ("branch-rate", &Rate(file.direction_tally())),
        ("complexity", &0),
    ];
    xml.element("class", &attributes, |xml| {
        xml.element("methods", &[], |xml| {
            for (name, function) in &file.functions {
                write_method(xml, name, function, file);
            }
        });
        xml.element("lines", &[], |xml| {
            for (number, line) in &file.lines {
                write_line(xml, *number, line);
            }
        });
    });
}

fn write_method(xml: &mut XmlWriter, name: &str, function: &FunctionCounts, file: &FileCoverage) {
    let lines = || function.lines.iter().map(|number| (*number, &file.lines[number]));
    let executed = Tally::of(lines().map(|(_, line)| line.executions > 0));
    let directions: Tally = lines().map(|(_, line)| line.directions()).sum();
    let attributes: [(&str, &dyn fmt::Display); 5] = [
        ("name", &name),
        ("signature", &""),
        ("line-rate", &Rate(executed)),
        ("branch-rate", &Rate(directions)),
        ("complexity", &0),
    ];
    xml.element("method", &attributes, |xml| {
        xml.element("lines", &[], |xml| lines().for_each(|(number, line)| write_line(xml, number, line)));
    });
}

fn write_line(xml: &mut XmlWriter, number: u32, line: &LineCounts) {
    if line.branches.is_empty() {
        let attributes: [(&str, &dyn fmt::Display); 3] =
            [("number", &number), ("hits", &line.executions), ("branch", &false)];
        return xml.empty("line", &attributes);
    }
    let Tally { covered, all } = line.directions();
    let coverage = format!("{} ({covered}/{all})", Percent(line.directions()));
    let attributes: [(&str, &dyn fmt::Display); 4] = [
        ("number", &number),
        ("hits", &line.executions),
        ("branch", &true),
        ("condition-coverage", &coverage),
    ];
    xml.element("line", &attributes, |xml| {
        xml.element("conditions", &[], |xml| {
            for (number, branch) in line.branches.iter().enumerate() {
                let coverage = Percent(Tally::of(branch.taken.iter().copied()));
                xml.empty("condition", &[("number", &number), ("type", &"jump"), ("coverage", &coverage)]);
            }
        });
    });
}

/// A tally as a fraction; displayed as 1 if there is nothing to cover.
struct Rate(Tally);

impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { covered, all } = self.0;
        let fraction = if all == 0 { 1.0 } else { covered as f64 / all as f64 };
        write!(formatter, "{fraction}")
    }
}

/// A tally in whole percent, rounded down: all is covered only at 100 %.
struct Percent(Tally);

impl fmt::Display for Percent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { covered, all } = self.0;
        write!(formatter, "{}%", (100 * covered).checked_div(all).unwrap_or(100))
    }
}
