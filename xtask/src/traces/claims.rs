//! The claims of the value-set analysis at block starts, read from the output of `everypath inspect values --json`.

use super::hexadecimal::Hexadecimal;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::process::Command;

/// The error if the analysis gave a function up.
pub(super) const INCOMPLETE: &str = "the value-set analysis did not come to its end";

const FORMAT: (&str, u32) = ("everypath.inspect.values", 1);

#[derive(Deserialize)]
struct Document {
    format: String,
    version: u32,
    complete: bool,
    given_up: Vec<Hexadecimal>,
    registers: Vec<(String, u32)>,
    states: Vec<(Hexadecimal, String, Hexadecimal, BTreeMap<String, Value>)>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    /// The value of the same register at the function's entry.
    Word(Word),
    Set {
        values: Vec<Hexadecimal>,
        entry: Option<String>,
        entry_stack: Option<serde_json::Value>,
    },
    Interval {
        low: Hexadecimal,
        high: Hexadecimal,
        stride: Hexadecimal,
        entry: Option<String>,
        entry_stack: Option<serde_json::Value>,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Entry,
}

/// The possible values of a register.
#[derive(Clone, Debug)]
pub(super) enum Numbers {
    Set(Vec<u64>),
    Interval { low: u64, high: u64, stride: u64 },
}

impl Numbers {
    /// Whether the set contains a number, modulo a power of two.
    pub(super) fn contains(&self, number: u64, mask: u64) -> bool {
        match self {
            Numbers::Set(set) => set.contains(&(number & mask)),
            Numbers::Interval { low, high, stride } => {
                let distance = number.wrapping_sub(*low) & mask;
                distance <= high.wrapping_sub(*low) & mask && distance.is_multiple_of(*stride)
            }
        }
    }
}

/// A claim on one register: a set of numbers, relative to a register's value at the function's entry if one is named.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// The number of the register.
    pub register: usize,
    pub numbers: Numbers,
    pub entry: Option<usize>,
}

/// All claims on a program.
pub(super) struct Claims {
    /// The names of the registers, with the mask of their width.
    pub registers: Vec<(String, u64)>,
    /// The claims at the start of a block, relative to a function: one list for each decoding context.
    pub states: HashMap<(u64, u64), Vec<Vec<Claim>>>,
    pub given_up: HashSet<u64>,
    /// Claims on memory of the caller at the entry, which a register dump cannot decide.
    pub undecided: u64,
}

impl Claims {
    /// Runs the value-set analysis of `everypath` on a file.
    ///
    /// # Errors
    /// If it fails, or its output is not the documented one.
    pub(super) fn analyse(everypath: &Path, file: &Path, convention: bool) -> Result<Self, String> {
        let mut command = Command::new(everypath);
        command.args(["inspect", "values", "--json"]).arg(file);
        command.args(convention.then_some("--convention"));
        let text = super::build::output(&mut command, "the workspace")?;
        let document: Document = serde_json::from_slice(&text).map_err(|error| format!("values: {error}"))?;
        if (document.format.as_str(), document.version) != FORMAT {
            return Err(format!("the values are {} version {}", document.format, document.version));
        }
        if !document.complete {
            return Err(INCOMPLETE.to_owned());
        }
        let mask = |bits: u32| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let registers: Vec<(String, u64)> =
            document.registers.into_iter().map(|(name, bits)| (name, mask(bits))).collect();
        let number = |name: &str| registers.iter().position(|(register, _)| register == name);
        let mut claims =
            Self { registers: Vec::new(), states: HashMap::new(), given_up: HashSet::new(), undecided: 0 };
        for (Hexadecimal(block), _, Hexadecimal(function), values) in document.states {
            let mut state = Vec::new();
            for (name, value) in values {
                let register = number(&name).ok_or_else(|| format!("`{name}` is not in the list"))?;
                let zero = Numbers::Set(vec![0]);
                let (numbers, entry, stack) = match value {
                    Value::Word(Word::Entry) => (zero, Some(name), None),
                    Value::Set { values, entry, entry_stack } => {
                        let numbers = values.into_iter().map(|number| number.0).collect();
                        (Numbers::Set(numbers), entry, entry_stack)
                    }
                    Value::Interval { low, high, stride, entry, entry_stack } => {
                        let numbers = Numbers::Interval { low: low.0, high: high.0, stride: stride.0 };
                        (numbers, entry, entry_stack)
                    }
                };
                let base = entry.as_deref().map(&number);
                // A dump does not contain the entry values of the caller's memory or of another register.
                if stack.is_some() || base == Some(None) {
                    claims.undecided += 1;
                } else {
                    state.push(Claim { register, numbers, entry: base.flatten() });
                }
            }
            claims.states.entry((function, block)).or_default().push(state);
        }
        claims.given_up = document.given_up.into_iter().map(|function| function.0).collect();
        claims.registers = registers;
        Ok(claims)
    }
}
