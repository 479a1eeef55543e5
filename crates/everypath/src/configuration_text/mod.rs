//! Mistakes in an `everypath.toml`, with the place in its text: what a person wrote is shown back to them.

mod checks;
mod entries;
mod near_name;
mod recorded;

use std::ops::Range;

use everypath_environment::{Configuration, Guest};

use entries::Entries;

/// A mistake in the text of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationMistake {
    /// The problem, in words.
    pub message: String,
    /// The bytes of the text that it is about, if they are known.
    pub span: Option<Range<usize>>,
    /// The label of the span: the problem in a few words.
    pub label: Option<String>,
    /// A second place that it is about, and what is there.
    pub other: Option<(Range<usize>, String)>,
    /// The advice that follows the message.
    pub help: Option<String>,
}

impl ConfigurationMistake {
    fn new(message: impl Into<String>, span: Option<Range<usize>>) -> ConfigurationMistake {
        ConfigurationMistake { message: message.into(), span, label: None, other: None, help: None }
    }
}

/// The text of an `everypath.toml`.
#[derive(Clone, Copy, Debug)]
pub struct ConfigurationText<'t>(pub &'t str);

impl ConfigurationText<'_> {
    /// Parses the text.
    ///
    /// # Errors
    /// The first mistake: wrong syntax, a field that does not exist, or a value of another type.
    pub fn parse(self) -> Result<Configuration, Box<ConfigurationMistake>> {
        toml::from_str(self.0).map_err(|error| {
            let mut mistake = ConfigurationMistake::new(error.message(), error.span());
            if let Some((wrong, names)) = near_name::unknown_field(error.message()) {
                mistake.message = format!("there is no field `{wrong}` here");
                mistake.label = Some("unknown field".to_owned());
                mistake.help = Some(near_name::advice(wrong, &names));
            }
            Box::new(mistake)
        })
    }

    /// The mistakes of a configuration that parses but cannot be meant: values that their registers cannot hold.
    #[must_use]
    pub fn check(self, configuration: &Configuration, guest: &Guest) -> Vec<ConfigurationMistake> {
        let entries = Entries::parse(self.0);
        entries.map(|entries| checks::wide_registers(configuration, guest, &entries)).unwrap_or_default()
    }

    /// Probable mistakes in a valid configuration: memory ranges or volatile cells that overlap.
    #[must_use]
    pub fn doubts(self, configuration: &Configuration) -> Vec<ConfigurationMistake> {
        let entries = Entries::parse(self.0);
        entries.map(|entries| checks::overlaps(configuration, &entries)).unwrap_or_default()
    }

    /// The mistake behind a message about a configuration that does not fit its program: the entry that the message names.
    #[must_use]
    pub fn locate(self, message: &str) -> ConfigurationMistake {
        let span = Entries::parse(self.0).and_then(|entries| entries.named_in(message));
        // Some messages end with what to do, behind a semicolon.
        match message.rsplit_once("; ") {
            Some((message, help)) if span.is_some() => ConfigurationMistake {
                help: Some(help.to_owned()),
                ..ConfigurationMistake::new(message, span)
            },
            _ => ConfigurationMistake::new(message, span),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Binary;

    /// The text of a span.
    fn shown(text: &str, mistake: &ConfigurationMistake) -> String {
        mistake.span.clone().map(|span| text[span].to_owned()).unwrap_or_default()
    }

    #[test]
    fn a_field_that_does_not_exist_is_shown_with_the_nearest_name() {
        let text = "[[volatile]]\nname = \"port\"\nadress = 5\n";
        let mistake = ConfigurationText(text).parse().expect_err("it is refused");
        assert_eq!(shown(text, &mistake), "adress");
        assert!(mistake.help.is_some_and(|help| help.contains("`address`")));
        let text = "entry = 0x10\nbudget = \"many\"\n";
        let mistake = ConfigurationText(text).parse().expect_err("it is refused");
        assert_eq!(shown(text, &mistake), "\"many\"");
        let text = "entry = = 1\n";
        assert!(ConfigurationText(text).parse().expect_err("it is refused").span.is_some());
    }

    #[test]
    fn values_that_do_not_fit_and_ranges_that_overlap_are_found() {
        let text = "[registers]\nA = 0x1ff\nB = 7\n\n[[volatile]]\nname = \"one\"\naddress = 5\nsize = 4\n\n\
                    [[volatile]]\nname = \"two\"\naddress = 8\nsize = 1\n\n[[volatile]]\nname = \"apart\"\naddress = 9\nsize = 1\n";
        let configuration = ConfigurationText(text).parse().expect("it parses");
        let binary = Binary::options().architecture("8051").raw(0).read([0x80, 0xfe]).expect("a program");
        let mut mistakes = ConfigurationText(text).check(&configuration, binary.guest());
        mistakes.extend(ConfigurationText(text).doubts(&configuration));
        let spans: Vec<String> = mistakes.iter().map(|mistake| shown(text, mistake)).collect();
        assert_eq!(spans, ["0x1ff", "8"], "{mistakes:?}");
        let (other, _) = mistakes[1].other.clone().expect("both are shown");
        assert_eq!(&text[other], "5");
    }

    #[test]
    fn an_entry_is_found_by_what_a_message_names() {
        let text = "stop = [\"done\", \"main\"]\n\n[registers]\nr99 = 1\n\n[[volatile]]\nname = \"port\"\nspace = \"MARS\"\n\
                    address = 0x50\nsize = 1\nvalues = [1, 300]\n";
        let cases = [
            ("the program has no symbol `main`", "\"main\""),
            ("there is no register `r99`", "r99"),
            ("there is no space `MARS`; there are: CODE", "\"MARS\""),
            ("volatile cell `port`: the value 300 does not fit in 1 byte", "300"),
            ("volatile cell `port`: 0x50 with 1 bytes is outside of the space `MARS`", "0x50"),
            ("volatile cell `port`: something else", "\"port\""),
            ("there is no volatile cell `speed`", ""),
        ];
        for (message, expected) in cases {
            assert_eq!(shown(text, &ConfigurationText(text).locate(message)), expected, "{message}");
        }
        assert_eq!(ConfigurationText(text).locate(cases[2].0).help.as_deref(), Some("there are: CODE"));
    }
}
