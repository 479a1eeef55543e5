//! The text format of LRAT.

use std::fmt;
use std::str::FromStr;

use super::step::NOT_PLAIN;
use super::{Proof, ProofError, ProofStep};

impl fmt::Display for Proof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Solvers write the number of the last clause before deletions; checkers ignore it.
        let mut last = 0;
        for step in &self.steps {
            match step {
                ProofStep::Add { id, literals, hints } => {
                    last = *id;
                    write!(formatter, "{id} ")?;
                    for literal in literals {
                        write!(formatter, "{literal} ")?;
                    }
                    formatter.write_str("0 ")?;
                    for hint in hints {
                        write!(formatter, "{hint} ")?;
                    }
                }
                ProofStep::Delete { ids } => {
                    write!(formatter, "{last} d ")?;
                    for id in ids {
                        write!(formatter, "{id} ")?;
                    }
                }
            }
            formatter.write_str("0\n")?;
        }
        Ok(())
    }
}

impl FromStr for Proof {
    type Err = ProofError;

    fn from_str(text: &str) -> Result<Proof, ProofError> {
        let mut steps = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim_ascii().is_empty() || line.starts_with('c') {
                continue;
            }
            steps.push(step(line).map_err(|why| ProofError { at: index + 1, why })?);
        }
        Ok(Proof { steps })
    }
}

fn step(line: &str) -> Result<ProofStep, &'static str> {
    let mut words = line.split_ascii_whitespace();
    let id = words.next().and_then(|word| word.parse().ok()).ok_or("a step begins with a number")?;
    let mut words = words.peekable();
    if words.next_if_eq(&"d").is_some() {
        return Ok(ProofStep::Delete {
            ids: numbers(words, "a deletion ends with 0 and has numbers of clauses before it")?,
        });
    }
    let mut literals = Vec::new();
    loop {
        match words.next().map(str::parse::<i32>) {
            Some(Ok(0)) => break,
            Some(Ok(i32::MIN) | Err(_)) => return Err("not a literal"),
            Some(Ok(literal)) => literals.push(literal),
            None => return Err("the clause does not end with 0"),
        }
    }
    Ok(ProofStep::Add { id, literals, hints: numbers(words, NOT_PLAIN)? })
}

/// Positive numbers up to a zero, which must be the last word.
fn numbers<'a>(words: impl Iterator<Item = &'a str>, why: &'static str) -> Result<Vec<u64>, &'static str> {
    let mut numbers: Vec<u64> = words.map(str::parse).collect::<Result<_, _>>().map_err(|_| why)?;
    if numbers.pop() != Some(0) || numbers.contains(&0) {
        return Err(why);
    }
    Ok(numbers)
}
