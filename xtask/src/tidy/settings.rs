//! The settings of `tidy`: exceptions to the rules, and forbidden text.

use serde::Deserialize;

/// The contents of `xtask/tidy-allow.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Files that may name an architecture.
    #[serde(default)]
    pub architecture_names: Vec<NameAllowance>,
    /// Text that no file may contain.
    #[serde(default)]
    pub forbidden_text: Vec<ForbiddenText>,
    /// The folders of crates whose files must not import each other in a circle.
    #[serde(default)]
    pub without_circles: Vec<String>,
}

/// A file that may name architectures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameAllowance {
    /// The file, from the root of the workspace.
    pub file: String,
    /// The allowed names.
    pub names: Vec<String>,
    /// The reason.
    pub reason: String,
}

/// A forbidden text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForbiddenText {
    /// The text, in any case. One that begins with `/` is only found at the beginning of a path.
    pub text: String,
    /// Suffixes of the files that are searched; all files if empty.
    #[serde(default)]
    pub endings: Vec<String>,
    /// Files that may contain it.
    #[serde(default)]
    pub except: Vec<String>,
    /// The reason, and the replacement.
    pub reason: String,
}

impl Settings {
    /// The file of the settings.
    pub const FILE: &str = "xtask/tidy-allow.toml";

    /// Reads them; the error names the file.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| format!("{}: {error}", Self::FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_without_a_reason_is_refused() {
        let allowed = "[[architecture-names]]\nfile = 'a.rs'\nnames = ['6800']\n";
        assert!(Settings::parse(allowed).unwrap_err().contains("reason"));
        assert!(Settings::parse(&format!("{allowed}reason = 'it must'\n")).is_ok());
        assert!(Settings::parse("[[forbidden-texts]]\n").is_err());
    }
}
