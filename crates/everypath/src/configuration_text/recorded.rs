//! The configuration as a suite records it: the text of its file with what flags change in it, so that its tests can be replayed
//! under it by a run that has another one.

use crate::binary::Binary;
use everypath_environment::{
    AddressOrSymbol, Argument, Configuration, EnvironmentVariable, LinuxSettings, StreamSize,
};
use everypath_record::{Address, CellValues, RecordedConfiguration};
use toml::{Table, Value};

impl Binary {
    /// The configuration as text; none if it was changed in code to what no text gives.
    pub(crate) fn recorded_configuration(&self) -> Option<RecordedConfiguration> {
        let text = text_of(&self.configuration_source, &self.configuration)?;
        let cells = self.configuration.given.iter();
        let cells = cells.map(|(name, values)| CellValues { name: name.clone(), values: values.clone() });
        Some(RecordedConfiguration { text, cells: cells.collect(), base: self.lowest_address() })
    }

    /// The lowest address that the program's file is loaded at.
    pub(crate) fn lowest_address(&self) -> Option<Address> {
        self.image().segments().first().map(|segment| Address(segment.address()))
    }
}

/// The text of a configuration, from that of its file: the text itself, or one in which the settings that flags have are replaced.
/// `None` if a configuration that is read from it is another one.
fn text_of(source: &str, configuration: &Configuration) -> Option<String> {
    let wanted = Configuration { given: Vec::new(), justifications: Vec::new(), ..configuration.clone() };
    let is_same = |text: &str| {
        let parsed = Configuration::parse(text);
        parsed.is_ok_and(|parsed| Configuration { justifications: Vec::new(), ..parsed } == wanted)
    };
    if is_same(source) {
        return Some(source.to_owned());
    }
    let mut table: Table = source.parse().ok()?;
    table.remove("justification");
    set(&mut table, "entry", configuration.entry.as_ref().map(place));
    let stops: Vec<Value> = configuration.stop.iter().map(place).collect();
    set(&mut table, "stop", (!stops.is_empty()).then_some(Value::Array(stops)));
    set(&mut table, "budget", configuration.budget.map(number));
    set(&mut table, "linux", configuration.linux.as_ref().map(linux));
    let text = toml::to_string(&table).ok()?;
    is_same(&text).then_some(text)
}

fn set(table: &mut Table, key: &str, value: Option<Value>) {
    table.remove(key);
    if let Some(value) = value {
        table.insert(key.to_owned(), value);
    }
}

/// A number of the file; one that its format cannot have makes a text that is not taken.
fn number(number: u64) -> Value {
    i64::try_from(number).map_or_else(|_| Value::String(number.to_string()), Value::Integer)
}

fn place(place: &AddressOrSymbol) -> Value {
    match place {
        AddressOrSymbol::Address(address) => number(*address),
        AddressOrSymbol::Symbol(name) => Value::String(name.clone()),
    }
}

fn table(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    Value::Table(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn size(size: StreamSize) -> Value {
    Value::String(size.to_string())
}

fn linux(settings: &LinuxSettings) -> Value {
    let text = |text: &str| Value::String(text.to_owned());
    let argument = |argument: &Argument| match argument {
        Argument::Text(one) => text(one),
        Argument::Input(input) => table([("bytes", number(input.bytes.into()))]),
    };
    let variable = |variable: &EnvironmentVariable| match variable {
        EnvironmentVariable::Text(one) => text(one),
        EnvironmentVariable::Input(input) => {
            table([("name", text(&input.name)), ("bytes", number(input.bytes.into()))])
        }
    };
    let file = |file: &everypath_environment::FileInput| {
        table([("path", text(&file.path)), ("bytes", size(file.bytes))])
    };
    let path = |path: &std::path::PathBuf| Value::String(path.display().to_string());
    let lists = [
        ("arguments", settings.arguments.iter().map(argument).collect::<Vec<_>>()),
        ("environment", settings.environment.iter().map(variable).collect()),
        ("files", settings.files.iter().map(file).collect()),
    ];
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    let entries = settings.stdin.map(|stdin| ("stdin", size(stdin))).into_iter();
    let entries = entries.chain(settings.stdin_file.as_ref().map(|file| ("stdin_file", path(file))));
    let entries = entries.chain(settings.root.as_ref().map(|root| ("root", path(root))));
    table(entries.chain(lists.map(|(key, list)| (key, Value::Array(list)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of what is read from a text and changed.
    fn changed(source: &str, change: impl FnOnce(&mut Configuration)) -> Option<String> {
        let mut configuration = Configuration::parse(source).expect("a configuration");
        change(&mut configuration);
        text_of(source, &configuration)
    }

    #[test]
    fn a_text_that_nothing_changes_is_recorded_as_it_is() {
        let source = "# the board\nseed = 1\n\n[call]\nfunction = \"step\" # of the loop\n";
        assert_eq!(changed(source, |_| {}).as_deref(), Some(source));
        assert_eq!(changed("", |_| {}).as_deref(), Some(""));
    }

    #[test]
    fn what_flags_change_is_in_the_text() {
        let source = "stop = [16]\n\n[linux]\narguments = [\"-n\"]\n";
        let text = changed(source, |all| {
            all.stop.push("done".into());
            all.entry = Some(0x8000.into());
            all.budget = Some(7);
            let linux = all.linux.get_or_insert_default();
            linux.stdin = StreamSize::parse("2..4").ok();
            linux.environment.push(EnvironmentVariable::Text("A=b".to_owned()));
            let input = everypath_environment::ArgumentInput { bytes: 3 };
            linux.arguments.push(Argument::Input(input));
        });
        let text = text.expect("a text");
        let parsed = Configuration::parse(&text).expect("a configuration");
        assert_eq!((parsed.stop.len(), parsed.budget), (2, Some(7)), "{text}");
        let linux = parsed.linux.expect("a process");
        assert_eq!((linux.arguments.len(), linux.stdin), (2, StreamSize::parse("2..4").ok()), "{text}");
    }

    #[test]
    fn what_code_changes_otherwise_is_not_recorded() {
        assert_eq!(changed("seed = 1\n", |all| all.seed = 2), None);
    }
}
