//! Justifications: a reviewer's reasons for accepting branch directions that stay open. They are judgements, not proofs: the
//! verdict on a justified direction is still that it is open.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Address, Direction};

/// A justification of the configuration, and what became of it in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Justification {
    /// The function, as the configuration names it.
    pub function: String,
    /// The distance of the branch from the function's entry, in bytes.
    pub offset: u64,
    /// The target, as the configuration names it.
    pub target: String,
    /// The digest of the function's code that was reviewed.
    pub code: String,
    /// Why the open direction is acceptable.
    pub reason: String,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When, as the configuration writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Whether it applies.
    pub standing: JustificationStanding,
}

/// Whether a justification applies to a direction of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum JustificationStanding {
    /// It applies.
    Valid {
        /// The open or unsupported direction.
        direction: Direction,
    },
    /// It no longer applies, and counts for nothing.
    Lapsed {
        /// Why.
        cause: LapseCause,
        /// Why, in words, with what to do.
        detail: String,
    },
}

/// Why a justification lapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LapseCause {
    /// There is no function of this name.
    FunctionGone,
    /// The function has other code than the one that was reviewed.
    CodeChanged,
    /// The function has no such branch direction.
    NoSuchDirection,
    /// A test or a trace takes the direction.
    Covered,
    /// The direction is infeasible.
    Infeasible,
    /// Several functions have this name and this code.
    Ambiguous,
    /// An earlier entry justifies the direction.
    Duplicate,
}

impl Justification {
    /// The direction that it applies to; none if it lapsed.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        match self.standing {
            JustificationStanding::Valid { direction } => Some(direction),
            JustificationStanding::Lapsed { .. } => None,
        }
    }

    /// Why it lapsed, in words; none if it applies.
    #[must_use]
    pub fn lapse(&self) -> Option<&str> {
        match &self.standing {
            JustificationStanding::Valid { .. } => None,
            JustificationStanding::Lapsed { detail, .. } => Some(detail),
        }
    }

    /// The direction as the configuration names it: `update+0xc -> +0x14`.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}+{:#x} -> {}", self.function, self.offset, self.target)
    }

    /// Who justified it and when, as far as that is known: `A. Reviewer, 2026-01-31`.
    #[must_use]
    pub fn signatory(&self) -> Option<String> {
        let known: Vec<&str> = [&self.by, &self.date].into_iter().flatten().map(String::as_str).collect();
        (!known.is_empty()).then(|| known.join(", "))
    }
}

/// The digest of a function's code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FunctionDigest {
    /// The address of the function's entry.
    pub entry: Address,
    /// A name that no other function has.
    pub function: String,
    /// The first 16 hexadecimal digits of the hash (SHA-256) of its code.
    pub code: String,
}

/// A justification that the user can complete; displayed as an entry for the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JustificationDraft {
    /// The function.
    pub function: String,
    /// The distance of the branch from the function's entry, in bytes.
    pub offset: u64,
    /// The target.
    pub target: String,
    /// The digest of the function's code.
    pub code: String,
}

impl fmt::Display for JustificationDraft {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "[[justification]]\nfunction = {}", toml_string(&self.function))?;
        writeln!(formatter, "offset = {:#x}\ntarget = {}", self.offset, toml_string(&self.target))?;
        writeln!(formatter, "code = {}\nreason = \"\"\nby = \"\"", toml_string(&self.code))
    }
}

/// A basic string of TOML.
fn toml_string(text: &str) -> String {
    let mut string = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => string.extend(['\\', letter]),
            control if control.is_control() => string.push_str(&format!("\\u{:04x}", u32::from(control))),
            plain => string.push(plain),
        }
    }
    string + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_an_entry_of_the_configuration() {
        let draft = JustificationDraft {
            function: "f\"\\\n".to_owned(),
            offset: 0x2c,
            target: "+0x30".to_owned(),
            code: "9f86d081884c7d65".to_owned(),
        };
        let expected = "[[justification]]\nfunction = \"f\\\"\\\\\\u000a\"\noffset = 0x2c\ntarget = \"+0x30\"\n\
                        code = \"9f86d081884c7d65\"\nreason = \"\"\nby = \"\"\n";
        assert_eq!(draft.to_string(), expected);
    }
}
