//! The settings of `tidy`: what is allowed by exception, and what may not be written.

use serde::Deserialize;

/// The contents of `xtask/tidy-allow.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Files that may name an architecture.
    #[serde(default)]
    pub architecture_names: Vec<NameAllowance>,
    /// What may not stand in any file.
    #[serde(default)]
    pub forbidden_text: Vec<ForbiddenText>,
}

/// A file that may name architectures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameAllowance {
    /// The file, from the root of the workspace.
    pub file: String,
    /// Which names.
    pub names: Vec<String>,
    /// Why.
    pub reason: String,
}

/// A piece of text that may not be written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForbiddenText {
    /// The text, in any case. One that begins with `/` is only found at the beginning of a path.
    pub text: String,
    /// How the names of the files end in which it is searched; all files if there are none.
    #[serde(default)]
    pub endings: Vec<String>,
    /// Files that may contain it.
    #[serde(default)]
    pub except: Vec<String>,
    /// Why it may not, and what to write instead.
    pub reason: String,
}

impl Settings {
    /// Where they stand.
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
