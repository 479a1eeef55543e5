//! The text format of a certificate.
//!
//! A header of lines that begin with a keyword, then sections under a line `[name]` each:
//!
//! ```text
//! everypath certificate 1
//! translation 2
//! solver cadical 3.0.1
//! opinion z3 4.8.12 unsat
//! core 0 2
//! [query]
//! (set-logic QF_ABV) ...
//! [inputs]
//! i0 1 2 3 4 5 6 7 8
//! [laws]
//! 0 store 3
//! 0 table
//! [clauses]
//! p cnf 120 400 ...
//! [proof]
//! 401 7 0 3 5 0 ...
//! [end]
//! ```

use std::fmt;

use everypath_term::{Term, Terms};

use super::{Certificate, FORMAT, Opinion, Refused, TRANSLATION};
use crate::backend::bitblast::{Hit, Lemma};
use crate::proof::Proof;
use crate::sat::Cnf;

/// Prints the conditions as SMT-LIB 2.
pub(super) fn write_query(terms: &Terms, conditions: &[Term]) -> Result<String, String> {
    terms.smtlib(conditions).map_err(|error| error.to_string())
}

/// Parses conditions, without simplification.
pub(super) fn read_query(text: &str) -> Result<(Terms, Vec<Term>), String> {
    let mut terms = Terms::new();
    let script = terms.read_smtlib(text).map_err(|error| error.to_string())?;
    Ok((terms, script.assertions))
}

impl fmt::Display for Certificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "everypath certificate {FORMAT}")?;
        writeln!(formatter, "translation {TRANSLATION}")?;
        writeln!(formatter, "solver {}", self.solver)?;
        for Opinion { solver, version, answer } in &self.opinions {
            writeln!(formatter, "opinion {solver} {version} {answer}")?;
        }
        formatter.write_str("core")?;
        for place in &self.core {
            write!(formatter, " {place}")?;
        }
        write!(formatter, "\n[query]\n{}", self.query)?;
        if !self.query.ends_with('\n') {
            formatter.write_str("\n")?;
        }
        formatter.write_str("[inputs]\n")?;
        for (input, variables) in &self.inputs {
            write!(formatter, "i{input}")?;
            for variable in variables {
                write!(formatter, " {variable}")?;
            }
            formatter.write_str("\n")?;
        }
        formatter.write_str("[laws]\n")?;
        for Lemma { read, hit } in &self.laws {
            match hit {
                Hit::Store(depth) => writeln!(formatter, "{read} store {depth}")?,
                Hit::Table => writeln!(formatter, "{read} table")?,
            }
        }
        write!(formatter, "[clauses]\n{}[proof]\n{}[end]\n", self.cnf, self.proof)
    }
}

/// Parses the text format; does not check the proof.
impl std::str::FromStr for Certificate {
    type Err = Refused;

    fn from_str(text: &str) -> Result<Certificate, Refused> {
        read(text)
    }
}

/// The section names in order.
const PARTS: [&str; 6] = ["[query]", "[inputs]", "[laws]", "[clauses]", "[proof]", "[end]"];

/// Parses the text format.
pub(super) fn read(text: &str) -> Result<Certificate, Refused> {
    let (head, parts) = split(text)?;
    let mut certificate = Certificate {
        query: parts[0].text.to_owned(),
        core: Vec::new(),
        solver: String::new(),
        opinions: Vec::new(),
        laws: parts[2].lines(law)?,
        inputs: parts[1].lines(input)?,
        cnf: parts[3].text.parse::<Cnf>().map_err(|error| parts[3].refuse(error.line, error.why))?,
        proof: parts[4].text.parse::<Proof>().map_err(|error| parts[4].refuse(error.at, error.why))?,
    };
    let mut lines = head.text.lines().enumerate();
    let mut expect = |wanted: &str| match lines.next() {
        Some((_, line)) if line == wanted => Ok(()),
        Some((index, line)) => Err((index, line.to_owned())),
        None => Err((0, String::new())),
    };
    expect(&format!("everypath certificate {FORMAT}"))
        .map_err(|_| head.refuse(1, &format!("the first line is not `everypath certificate {FORMAT}`")))?;
    expect(&format!("translation {TRANSLATION}")).map_err(|(_, line)| {
        match line.strip_prefix("translation ").and_then(|version| version.parse().ok()) {
            Some(version) => Refused::Translation(version),
            None => head.refuse(2, "the second line is not `translation` and a number"),
        }
    })?;
    for (index, line) in lines {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["solver", ..] => certificate.solver = words[1..].join(" "),
            ["opinion", solver, version, answer] => certificate.opinions.push(Opinion {
                solver: solver.to_owned(),
                version: version.to_owned(),
                answer: answer.to_owned(),
            }),
            ["core", ref places @ ..] => {
                let places: Option<Vec<usize>> = places.iter().map(|place| place.parse().ok()).collect();
                certificate.core =
                    places.ok_or_else(|| head.refuse(index + 1, "a core is a list of numbers"))?;
            }
            _ => return Err(head.refuse(index + 1, "not a line of the head")),
        }
    }
    Ok(certificate)
}

/// A section of the file.
struct Part<'a> {
    text: &'a str,
    /// The number of lines before it.
    before: usize,
}

impl Part<'_> {
    fn refuse(&self, line: usize, why: &str) -> Refused {
        Refused::Form { line: self.before + line, why: why.to_owned() }
    }

    fn lines<T>(&self, read: impl Fn(&[&str]) -> Option<T>) -> Result<Vec<T>, Refused> {
        let line = |(index, line): (usize, &str)| {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            read(&words).ok_or_else(|| self.refuse(index + 1, "not a line of this part"))
        };
        self.text.lines().enumerate().map(line).collect()
    }
}

/// Splits the file into header and sections.
fn split(text: &str) -> Result<(Part<'_>, Vec<Part<'_>>), Refused> {
    let mut parts = Vec::new();
    let (mut start, mut before) = (0, 0);
    let (mut offset, mut number) = (0, 0);
    for line in text.split_inclusive('\n') {
        let next = PARTS.get(parts.len()).copied();
        if line.starts_with('[') {
            let part = Part { text: &text[start..offset], before };
            if Some(line.trim_end()) != next {
                return Err(Refused::Form {
                    line: number + 1,
                    why: format!("{} does not belong here", line.trim_end()),
                });
            }
            parts.push(part);
            (start, before) = (offset + line.len(), number + 1);
        }
        offset += line.len();
        number += 1;
    }
    if parts.len() < PARTS.len() || start != text.len() {
        return Err(Refused::Form { line: number, why: "the file does not end with [end]".to_owned() });
    }
    Ok((parts.remove(0), parts))
}

fn input(words: &[&str]) -> Option<(u32, [i32; 8])> {
    let (name, variables) = words.split_first()?;
    let variables: Option<Vec<i32>> = variables.iter().map(|variable| variable.parse().ok()).collect();
    Some((name.strip_prefix('i')?.parse().ok()?, variables?.try_into().ok()?))
}

fn law(words: &[&str]) -> Option<Lemma> {
    match *words {
        [read, "table"] => Some(Lemma { read: read.parse().ok()?, hit: Hit::Table }),
        [read, "store", depth] => {
            Some(Lemma { read: read.parse().ok()?, hit: Hit::Store(depth.parse().ok()?) })
        }
        _ => None,
    }
}
