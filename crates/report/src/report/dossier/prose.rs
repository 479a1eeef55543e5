//! Text of the dossier: fragments in plain letters and in code letters, references to statements, and blanks to fill in.

/// A line of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prose(pub(super) Vec<Fragment>);

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fragment {
    /// Plain text.
    Plain(String),
    /// Code, a name or a number of the program.
    Code(String),
    /// The name of a verdict, which HTML colours.
    Verdict(&'static str),
    /// The identifier of a statement.
    Reference(String),
    /// A place for the reviewer to write.
    Blank,
}

impl Prose {
    /// Text in code letters.
    pub(super) fn code(text: impl Into<String>) -> Prose {
        Prose(vec![Fragment::Code(text.into())])
    }

    /// A reference to a statement.
    pub(super) fn reference(identifier: impl Into<String>) -> Prose {
        Prose(vec![Fragment::Reference(identifier.into())])
    }

    /// The name of a verdict.
    pub(super) fn verdict(name: &'static str) -> Prose {
        Prose(vec![Fragment::Verdict(name)])
    }

    /// A place to write.
    pub(super) fn blank() -> Prose {
        Prose(vec![Fragment::Blank])
    }

    /// This text with another one behind it.
    pub(super) fn and(mut self, more: impl Into<Prose>) -> Prose {
        self.0.extend(more.into().0);
        self
    }
}

/// Text between two grave accents is code; a single accent stays what it is.
impl From<&str> for Prose {
    fn from(text: &str) -> Prose {
        let mut fragments = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('`') {
            let Some((code, behind)) = behind.split_once('`') else { break };
            if !before.is_empty() {
                fragments.push(Fragment::Plain(before.to_owned()));
            }
            if !code.is_empty() {
                fragments.push(Fragment::Code(code.to_owned()));
            }
            rest = behind;
        }
        if !rest.is_empty() {
            fragments.push(Fragment::Plain(rest.to_owned()));
        }
        Prose(fragments)
    }
}

impl From<String> for Prose {
    fn from(text: String) -> Prose {
        Prose::from(text.as_str())
    }
}

/// Text of at most so many characters: what is cut off is replaced by an ellipsis.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// Text for a line: control characters, among them line breaks, are replaced.
pub(super) fn printable(text: &str) -> String {
    let replace = |letter: char| match letter {
        '\n' | '\r' | '\t' => ' ',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    };
    text.chars().map(replace).collect()
}
