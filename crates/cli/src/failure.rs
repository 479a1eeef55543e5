//! Why a command did not succeed, and the exit code that says so.

use crate::arguments::ColourWhen;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use anstyle::{AnsiColor, Style};
use everypath::ConfigurationMistake;
use std::io;
use std::process::ExitCode;

/// The input could not be used.
const INPUT: u8 = 1;
/// The fault is ours: `EX_SOFTWARE` of `sysexits.h`.
const BUG: u8 = 70;

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input could not be used: what happened, where, and what to do next.
    Input(String),
    /// A mistake in a configuration, shown with the lines of its text.
    Configuration(Box<WrongConfiguration>),
    /// Everypath is wrong.
    Bug(String),
    /// The output could not be written.
    Output(io::Error),
}

/// A configuration with a mistake.
#[derive(Debug)]
pub(crate) struct WrongConfiguration {
    /// The file.
    pub(crate) file: String,
    /// Its text.
    pub(crate) text: String,
    pub(crate) mistake: ConfigurationMistake,
}

impl Failure {
    /// Reports the failure to the user, and returns the exit code.
    pub(crate) fn report(&self, colour: ColourWhen) -> ExitCode {
        match self {
            Self::Input(message) => {
                complain(colour, message);
                ExitCode::from(INPUT)
            }
            Self::Configuration(wrong) => {
                eprintln!("{}", wrong.render(Level::ERROR, colour.for_errors()));
                ExitCode::from(INPUT)
            }
            Self::Bug(message) => {
                complain(colour, message);
                complain(colour, "this is a fault of everypath, not of the file; please report it");
                ExitCode::from(BUG)
            }
            // A reader that closes the pipe has seen enough.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Output(error) => {
                complain(colour, &format!("the output could not be written: {error}"));
                ExitCode::from(INPUT)
            }
        }
    }
}

impl WrongConfiguration {
    /// Prints it as a warning.
    pub(crate) fn warn(&self, colour: ColourWhen) {
        eprintln!("{}", self.render(Level::WARNING, colour.for_errors()));
    }

    /// The message with the line, a caret below what is wrong, and help.
    fn render(&self, level: Level<'_>, colour: bool) -> String {
        let WrongConfiguration { file, text, mistake } = self;
        let ConfigurationMistake { message, span, label, other, help } = mistake;
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        // A place behind the end of the text is its end.
        let within = |span: &std::ops::Range<usize>| span.start.min(text.len())..span.end.min(text.len());
        let Some(span) = span else {
            let title = level.primary_title(format!("{file}: {message}"));
            let helps = help.iter().map(|help| Level::HELP.message(help.as_str()));
            return renderer.render(&[title.elements(helps)]);
        };
        let mut snippet = Snippet::source(text.as_str())
            .path(file.as_str())
            .annotation(AnnotationKind::Primary.span(within(span)).label(label.as_deref()));
        if let Some((other, label)) = other {
            snippet = snippet.annotation(AnnotationKind::Context.span(within(other)).label(label.as_str()));
        }
        let mut group = level.primary_title(message.as_str()).element(snippet);
        if let Some(help) = help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }
}

/// Prints an error.
fn complain(colour: ColourWhen, message: &str) {
    print_after("error", AnsiColor::Red, colour, message);
}

/// Prints a warning.
pub(crate) fn warn(colour: ColourWhen, message: &str) {
    print_after("warning", AnsiColor::Yellow, colour, message);
}

/// Prints a message to standard error, after a word that says what it is.
fn print_after(word: &str, own: AnsiColor, colour: ColourWhen, message: &str) {
    let style = if colour.for_errors() { own.on_default().bold() } else { Style::new() };
    eprintln!("{style}{word}:{style:#} {message}");
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() { Self::Output(error.into()) } else { Self::Bug(format!("no JSON: {error}")) }
    }
}
