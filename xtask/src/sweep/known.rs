//! Known errors of the reference: `tests/sweep/known.toml`.

use super::compare::Difference;
use super::ours::line;
use everypath_testkit::reference::ReferenceOutcome;
use serde::Deserialize;
use std::path::Path;

/// The list of known errors.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownList {
    /// The entries; one that matches is enough.
    #[serde(default)]
    pub known: Vec<Known>,
    /// Crashes of the reference, which never count against us; unlisted ones are reported.
    #[serde(default)]
    pub crash: Vec<KnownCrash>,
}

/// Instructions that crash the reference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownCrash {
    /// The affected architectures.
    pub architectures: Vec<String>,
    /// Prefixes of the disassembly of such instructions.
    pub texts: Vec<String>,
    /// The cause of the crash, and the evidence that our answer is right.
    pub reason: String,
}

/// One kind of difference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The affected architectures; all if empty.
    #[serde(default)]
    pub architectures: Vec<String>,
    /// The prefix of the reference's answer: `bad` and its reason, or length, p-code and disassembly.
    pub reference: String,
    /// The prefix of our answer.
    pub ours: String,
    /// The evidence that it is not an error of ours.
    pub reason: String,
}

impl KnownList {
    /// Reads the list.
    ///
    /// # Errors
    /// If it cannot be read, or an entry gives no reason.
    pub fn read(root: &Path) -> Result<Self, String> {
        let file = root.join("tests/sweep/known.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        Self::parse(&text).map_err(|error| format!("{}: {error}", file.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let list: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        let known = list.known.iter().map(|known| (&known.reference, &known.reason));
        let crashes =
            list.crash.iter().flat_map(|crash| crash.texts.iter().map(|text| (text, &crash.reason)));
        match known.chain(crashes).find(|(_, reason)| reason.trim().is_empty()) {
            Some((what, _)) => Err(format!("`{what}` has no reason")),
            None => Ok(list),
        }
    }

    /// Whether the reference is known to crash on an instruction with this disassembly.
    pub(super) fn lists_crash(&self, architecture: &str, text: &str) -> bool {
        self.crash.iter().any(|crash| {
            crash.architectures.iter().any(|name| name == architecture)
                && crash.texts.iter().any(|start| text.starts_with(start))
        })
    }

    /// Whether an entry matches this difference.
    pub(super) fn explains(&self, architecture: &str, difference: &Difference) -> bool {
        let reference = match &difference.reference {
            ReferenceOutcome::Decoded { length, pcode, text } => line(*length, pcode, text.as_deref()),
            ReferenceOutcome::Bad { reason } => format!("bad {reason}"),
            ReferenceOutcome::Crashed => return false,
        };
        self.known.iter().any(|known| {
            (known.architectures.is_empty() || known.architectures.iter().any(|name| name == architecture))
                && reference.starts_with(&known.reference)
                && difference.ours.starts_with(&known.ours)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use everypath_sleigh::DecodingContext;

    #[test]
    fn architecture_and_both_answers_must_fit() {
        let list = KnownList::parse(
            "[[known]]\narchitectures = [\"a\"]\nreference = \"bad other\"\nours = \"4 \"\nreason = \"r\"\n",
        )
        .unwrap();
        let difference = |reason: &str, ours: &str| Difference {
            address: 0,
            context: DecodingContext(0),
            bytes: Vec::new(),
            ours: ours.to_owned(),
            reference: ReferenceOutcome::Bad { reason: reason.to_owned() },
        };
        assert!(list.explains("a", &difference("other x", "4 NOP")));
        assert!(!list.explains("b", &difference("other x", "4 NOP")));
        assert!(!list.explains("a", &difference("undecodable", "4 NOP")));
        assert!(!list.explains("a", &difference("other x", "bad NoMatch")));
    }

    #[test]
    fn a_crash_is_known_by_architecture_and_text() {
        let list = KnownList::parse(
            "[[crash]]\narchitectures = [\"a\"]\ntexts = [\"vld\", \"vst\"]\nreason = \"r\"\n",
        )
        .unwrap();
        assert!(list.lists_crash("a", "vstm r0"));
        assert!(!list.lists_crash("a", "add r0"));
        assert!(!list.lists_crash("b", "vstm r0"));
    }

    #[test]
    fn an_entry_without_a_reason_is_refused() {
        assert!(KnownList::parse("[[known]]\nreference = \"x\"\nours = \"y\"\nreason = \" \"\n").is_err());
        let crash = "[[crash]]\narchitectures = [\"a\"]\ntexts = [\"x\"]\nreason = \"\"\n";
        assert!(KnownList::parse(crash).is_err());
    }
}
