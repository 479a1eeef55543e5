//! Differences that are known to be the reference's own: `tests/sweep/known.toml`.

use super::compare::Difference;
use super::ours::line;
use everypath_testkit::reference::Outcome;
use serde::Deserialize;
use std::path::Path;

/// The list of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownList {
    /// The entries; one that fits is enough.
    #[serde(default)]
    pub known: Vec<Known>,
    /// What the reference dies of. That is never held against us; one that is not listed is pointed out.
    #[serde(default)]
    pub crash: Vec<KnownCrash>,
}

/// Instructions that the reference dies of.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownCrash {
    /// Where it occurs.
    pub architectures: Vec<String>,
    /// What the disassembly of such instructions begins with.
    pub texts: Vec<String>,
    /// Why the reference dies, and how it is known that our answer is right.
    pub reason: String,
}

/// One kind of difference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Where it occurs; everywhere if empty.
    #[serde(default)]
    pub architectures: Vec<String>,
    /// What the reference's answer begins with: `bad` and its reason, or length, p-code and disassembly.
    pub reference: String,
    /// What our answer begins with.
    pub ours: String,
    /// Why it is no fault of ours.
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

    /// Whether the reference is known to die of an instruction with this disassembly.
    pub(super) fn lists_crash(&self, architecture: &str, text: &str) -> bool {
        self.crash.iter().any(|crash| {
            crash.architectures.iter().any(|name| name == architecture)
                && crash.texts.iter().any(|start| text.starts_with(start))
        })
    }

    /// Whether an entry fits this difference.
    pub(super) fn explains(&self, architecture: &str, difference: &Difference) -> bool {
        let reference = match &difference.reference {
            Outcome::Decoded { length, pcode, text } => line(*length, pcode, text.as_deref()),
            Outcome::Bad { reason } => format!("bad {reason}"),
            Outcome::Crashed => return false,
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
    use everypath_sleigh::Context;

    #[test]
    fn architecture_and_both_answers_must_fit() {
        let list = KnownList::parse(
            "[[known]]\narchitectures = [\"a\"]\nreference = \"bad other\"\nours = \"4 \"\nreason = \"r\"\n",
        )
        .unwrap();
        let difference = |reason: &str, ours: &str| Difference {
            address: 0,
            context: Context(0),
            bytes: Vec::new(),
            ours: ours.to_owned(),
            reference: Outcome::Bad { reason: reason.to_owned() },
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
