//! The process that a Linux program runs as: arguments, in the order of their flags, environment variables, and files that are input.

use crate::number;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use everypath_environment::{
    Argument, ArgumentInput, EnvironmentVariable, FileInput, StreamSize, VariableInput,
};

/// Arguments, environment variables and files of a Linux program. Flags of two kinds give arguments, and their order is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessSetup {
    pub(crate) arguments: Vec<Argument>,
    pub(crate) environment: Vec<EnvironmentVariable>,
    pub(crate) files: Vec<FileInput>,
}

const ARGUMENT: &str = "arg";
const ARGUMENT_INPUT: &str = "arg-input";
const VARIABLE: &str = "env";
const VARIABLE_INPUT: &str = "env-input";
const FILE_INPUT: &str = "file-input";

impl ProcessSetup {
    pub(crate) fn is_empty(&self) -> bool {
        self.arguments.is_empty() && self.environment.is_empty() && self.files.is_empty()
    }

    /// The flags that give all this, by name, with their values.
    pub(crate) fn flags(&self) -> impl Iterator<Item = (&'static str, String)> {
        let argument = |argument: &Argument| match argument {
            Argument::Text(text) => (ARGUMENT, text.clone()),
            Argument::Input(input) => (ARGUMENT_INPUT, input.bytes.to_string()),
        };
        let variable = |variable: &EnvironmentVariable| match variable {
            EnvironmentVariable::Text(text) => (VARIABLE, text.clone()),
            EnvironmentVariable::Input(input) => (VARIABLE_INPUT, format!("{}={}", input.name, input.bytes)),
        };
        let file = |file: &FileInput| (FILE_INPUT, format!("{}={}", file.path, file.bytes));
        let texts = self.arguments.iter().map(argument).chain(self.environment.iter().map(variable));
        texts.chain(self.files.iter().map(file))
    }
}

impl Args for ProcessSetup {
    fn augment_args(command: Command) -> Command {
        let flag = |id: &'static str, value: &'static str, help: &'static str| {
            let flag = Arg::new(id).long(id).value_name(value).help(help).action(ArgAction::Append);
            flag.allow_hyphen_values(id == ARGUMENT)
        };
        let argument = "An argument of a Linux program, behind its name; can be given more than once";
        let argument_input = "An argument of up to N bytes, each of which is input; can be given more than once, and between others";
        let variable = "An environment variable of a Linux program; can be given more than once";
        let variable_input_help = "An environment variable whose value has up to N bytes, each of which is input; can be given more than once";
        let file_input_help = "A file of up to N (or from A to B) bytes, each of which is input, in place of what is at its path; can be given more than once";
        command
            .arg(flag(ARGUMENT, "TEXT", argument))
            .arg(flag(ARGUMENT_INPUT, "N", argument_input).value_parser(bytes))
            .arg(flag(VARIABLE, "NAME=VALUE", variable))
            .arg(flag(VARIABLE_INPUT, "NAME=N", variable_input_help).value_parser(variable_input))
            .arg(flag(FILE_INPUT, "PATH=N|A..B", file_input_help).value_parser(file_input))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ProcessSetup {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let text = |text: String| Argument::Text(text);
        let input = |bytes: u32| Argument::Input(ArgumentInput { bytes });
        let mut arguments: Vec<(usize, Argument)> =
            placed::<String>(matches, ARGUMENT).map(|(place, given)| (place, text(given))).collect();
        arguments.extend(placed::<u32>(matches, ARGUMENT_INPUT).map(|(place, bytes)| (place, input(bytes))));
        arguments.sort_by_key(|(place, _)| *place);
        let texts = placed::<String>(matches, VARIABLE).map(|(_, text)| EnvironmentVariable::Text(text));
        let inputs = placed::<VariableInput>(matches, VARIABLE_INPUT)
            .map(|(_, variable)| EnvironmentVariable::Input(variable));
        Ok(ProcessSetup {
            arguments: arguments.into_iter().map(|(_, argument)| argument).collect(),
            environment: texts.chain(inputs).collect(),
            files: placed::<FileInput>(matches, FILE_INPUT).map(|(_, file)| file).collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The values of a flag, each with its place on the command line.
fn placed<'m, T: Clone + Send + Sync + 'static>(
    matches: &'m ArgMatches,
    id: &str,
) -> impl Iterator<Item = (usize, T)> + use<'m, T> {
    let values = matches.get_many::<T>(id).into_iter().flatten().cloned();
    matches.indices_of(id).into_iter().flatten().zip(values)
}

fn bytes(text: &str) -> Result<u32, String> {
    let number = number::parse(text)?;
    u32::try_from(number).map_err(|_| format!("{number} bytes are too many"))
}

fn variable_input(text: &str) -> Result<VariableInput, String> {
    match text.split_once('=') {
        Some((name, size)) if !name.is_empty() => {
            Ok(VariableInput { name: name.to_owned(), bytes: bytes(size)? })
        }
        _ => Err("the name of a variable, `=`, and its largest number of bytes are wanted".to_owned()),
    }
}

fn file_input(text: &str) -> Result<FileInput, String> {
    match text.rsplit_once('=') {
        Some((path, size)) if !path.is_empty() => {
            Ok(FileInput { path: path.to_owned(), bytes: StreamSize::parse(size)? })
        }
        _ => Err("the path of a file, `=`, and its number of bytes are wanted".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &[&str]) -> ProcessSetup {
        let command = ProcessSetup::augment_args(Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(line).expect("valid flags");
        ProcessSetup::from_arg_matches(&matches).expect("texts")
    }

    #[test]
    fn arguments_keep_the_order_of_flags_of_both_kinds() {
        let line = "--arg -n --arg-input 4 --file-input a=b=2..4 --arg x --env-input HOME=8 --env LANG=C";
        let line: Vec<_> = line.split(' ').collect();
        let flags: Vec<_> = parsed(&line).flags().collect();
        let texts =
            [("arg", "-n"), ("arg-input", "4"), ("arg", "x"), ("env", "LANG=C"), ("env-input", "HOME=8")];
        let expected: Vec<_> = texts.into_iter().chain([("file-input", "a=b=2..4")]).collect();
        let expected = expected.into_iter().map(|(name, value)| (name, value.to_owned()));
        assert_eq!(flags, expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_variable_has_a_name_and_a_size() {
        for wrong in ["HOME", "=4", "HOME=x", "HOME=99999999999"] {
            assert!(variable_input(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_has_a_path_and_a_size() {
        for wrong in ["in.txt", "=4", "in.txt=x", "in.txt=4..2"] {
            assert!(file_input(wrong).is_err(), "{wrong}");
        }
    }
}
