//! The subject of an explanation, by the name that a user gives it: a test, branch directions, or a finding.

use std::fmt;

use everypath_record::{CodeLocation, SourcePosition, Summary};

use super::disassembly::known_locations;
use super::near_names::{NEAR, near_names, near_numbers};
use super::place_name::{PlaceName, is_file};
use crate::number::counted;
use crate::report::ReportData;

/// The subject of an explanation, resolved to its index in the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explained {
    /// A test: its index in the suite.
    Test(usize),
    /// Branch directions: their indices in the summary, at least one.
    Directions(Vec<usize>),
    /// A finding: its index in the summary.
    Finding(usize),
    /// Everything that can be explained: the tests, the findings and the open directions.
    Contents,
}

/// A name that nothing has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSubject {
    /// The problem, in words.
    pub problem: String,
    /// Names that exist, in the form in which they can be given.
    pub near: Vec<String>,
}

impl fmt::Display for UnknownSubject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.near.as_slice() {
            [] => write!(
                formatter,
                "{}; name a test (0003), a direction (0x1002->0x1008), a place (0x1002, update+0xc, alarm.c:41), \
                 a function, or a finding (finding:1)",
                self.problem
            ),
            near => write!(formatter, "{}; near: {}", self.problem, near.join(", ")),
        }
    }
}

impl std::error::Error for UnknownSubject {}

impl Explained {
    /// Finds what a name stands for:
    /// - `0003`, `3` or a file `tests/0003.json`: a test;
    /// - `finding:1`: a finding, counted from 1;
    /// - `0x1002->0x1008`, or as the summary prints it `update+0xc -> +0x14`: a direction;
    /// - `0x1002`, `update+0xc`, `alarm.c:41`, `update`: the directions of the branches at an address, a source line or in a
    ///   function; if none branches there, the directions to it.
    ///
    /// # Errors
    /// If there is nothing of that name; the error lists near ones.
    pub fn find(name: &str, data: &ReportData<'_>) -> Result<Explained, UnknownSubject> {
        let name = name.trim();
        if let Some(number) = name.strip_prefix("finding:") {
            return finding(number, &data.suite.summary);
        }
        if let Some(number) = test_name(name) {
            return test(number, data);
        }
        Branches::of(data).find(name)
    }
}

/// The name of a test in a subject, if it has the form of one.
fn test_name(name: &str) -> Option<&str> {
    if let Some(path) = name.strip_suffix(".json") {
        return path.rsplit(['/', '\\']).next();
    }
    (!name.is_empty() && name.bytes().all(|letter| letter.is_ascii_digit())).then_some(name)
}

fn test(name: &str, data: &ReportData<'_>) -> Result<Explained, UnknownSubject> {
    let tests = &data.suite.tests;
    let number: Option<u64> = name.parse().ok();
    let is_meant = |own: &str| own == name || number.is_some() && own.parse().ok() == number;
    if let Some(index) = tests.iter().position(|test| is_meant(&test.name)) {
        return Ok(Explained::Test(index));
    }
    let names = || tests.iter().map(|test| test.name.as_str());
    let near = match number {
        Some(number) => {
            let numbers = near_numbers(number, names().filter_map(|name| name.parse().ok()));
            names().filter(|name| name.parse().is_ok_and(|own| numbers.contains(&own))).collect()
        }
        None => names().take(NEAR).collect::<Vec<_>>(),
    };
    let count = counted(tests.len() as u64, "test");
    Err(UnknownSubject {
        problem: format!("there is no test {name} among {count}"),
        near: near.into_iter().map(str::to_owned).collect(),
    })
}

fn finding(number: &str, summary: &Summary) -> Result<Explained, UnknownSubject> {
    let count = summary.findings.len();
    match number.parse::<usize>() {
        Ok(number) if (1..=count).contains(&number) => Ok(Explained::Finding(number - 1)),
        _ => Err(UnknownSubject {
            problem: format!("there is no finding {number} among {}", counted(count as u64, "finding")),
            near: (1..=count.min(NEAR)).map(|number| format!("finding:{number}")).collect(),
        }),
    }
}

/// The directions of a suite with the locations of both ends.
struct Branches {
    ends: Vec<(CodeLocation, CodeLocation)>,
}

impl Branches {
    fn of(data: &ReportData<'_>) -> Branches {
        let known = known_locations(data);
        let location = |address| CodeLocation::find(&known, address).into_owned();
        let directions = data.suite.summary.directions.iter().map(|judged| judged.direction);
        let ends = directions.map(|direction| (location(direction.branch), location(direction.target)));
        Branches { ends: ends.collect() }
    }

    fn find(&self, name: &str) -> Result<Explained, UnknownSubject> {
        // A name may end with an arrow itself: `operator->`.
        let arrow = name.rsplit_once("->").filter(|(from, to)| !from.is_empty() && !to.trim().is_empty());
        let (branch, target) = match arrow {
            Some((from, to)) => (PlaceName::parse(from), Some(PlaceName::parse(to))),
            None => (PlaceName::parse(name), None),
        };
        let from_here = self.indices(|from, _| branch.is_at(from, None));
        let Some(target) = target else {
            let found =
                if from_here.is_empty() { self.indices(|_, to| branch.is_at(to, None)) } else { from_here };
            return if found.is_empty() {
                Err(self.no_branch(branch, name))
            } else {
                Ok(Explained::Directions(found))
            };
        };
        let function = |from: &CodeLocation| from.function.as_ref().map(|function| function.name.clone());
        let found =
            self.indices(|from, to| branch.is_at(from, None) && target.is_at(to, function(from).as_deref()));
        match (found.is_empty(), from_here.is_empty()) {
            (false, _) => Ok(Explained::Directions(found)),
            (true, true) => Err(self.no_branch(branch, name)),
            (true, false) => Err(UnknownSubject {
                problem: format!("there is no branch direction {name}"),
                near: from_here.iter().take(NEAR).map(|index| self.name(*index)).collect(),
            }),
        }
    }

    fn indices(&self, is_wanted: impl Fn(&CodeLocation, &CodeLocation) -> bool) -> Vec<usize> {
        let wanted = self.ends.iter().enumerate().filter(|(_, (from, to))| is_wanted(from, to));
        wanted.map(|(index, _)| index).collect()
    }

    fn name(&self, index: usize) -> String {
        let (from, to) = &self.ends[index];
        format!("{}->{}", from.address, to.address)
    }

    fn no_branch(&self, place: PlaceName<'_>, name: &str) -> UnknownSubject {
        let branches = || self.ends.iter().map(|(from, _)| from);
        let functions = || branches().filter_map(|from| from.function.as_ref());
        let sources = || branches().filter_map(|from| from.source.as_ref());
        let near = match place {
            PlaceName::Address(address) => {
                let near = near_numbers(address.0, branches().map(|from| from.address.0));
                near.into_iter().map(|address| format!("{address:#x}")).collect()
            }
            PlaceName::Function(function, Some(offset)) if functions().any(|own| own.name == function) => {
                let offsets = functions().filter(|own| own.name == function).map(|own| own.offset);
                let near = near_numbers(offset, offsets);
                near.into_iter().map(|offset| format!("{function}+{offset:#x}")).collect()
            }
            PlaceName::Function(function, _) => {
                near_names(function, functions().map(|own| own.name.as_str()))
            }
            PlaceName::Line(file, line) if sources().any(|source| is_file(source, file)) => {
                let lines = sources().filter(|source| is_file(source, file)).map(|own| own.line.into());
                near_numbers(line.into(), lines).into_iter().map(|line| format!("{file}:{line}")).collect()
            }
            PlaceName::Line(file, _) => {
                let files = near_names(file, sources().map(SourcePosition::file_name));
                let first = |file: &String| {
                    let own = sources().filter(|source| source.file_name() == file);
                    own.map(|source| source.line).min().map(|line| format!("{file}:{line}"))
                };
                files.iter().filter_map(first).collect()
            }
            PlaceName::Offset(_) => Vec::new(),
        };
        UnknownSubject { problem: format!("there is no branch at {name}"), near }
    }
}
