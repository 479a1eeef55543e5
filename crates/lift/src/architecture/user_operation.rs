//! The model that a description assigns to a user operation, and the model's parameters.

use super::description::Description;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The model of a user operation: `name = "model"`, or `name = { model = "model", ... }` with the model's parameters.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Written")]
pub struct UserOperation {
    /// The name of a model of the environment.
    pub model: String,
    parameters: toml::Table,
}

/// The two syntaxes.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a user operation is the name of a model, or a table with a `model`")]
enum Written {
    Name(String),
    Table(toml::Table),
}

impl TryFrom<Written> for UserOperation {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::Name(model) => Ok(Self { model, parameters: toml::Table::new() }),
            Written::Table(mut parameters) => match parameters.remove("model") {
                Some(toml::Value::String(model)) => Ok(Self { model, parameters }),
                _ => Err("a user operation with parameters needs the name of its `model`".to_owned()),
            },
        }
    }
}

impl UserOperation {
    /// The parameters, in the model's own type.
    ///
    /// # Errors
    /// A missing parameter, or one that the model does not have.
    pub fn parameters<P: DeserializeOwned>(&self) -> Result<P, String> {
        self.parameters.clone().try_into().map_err(|error: toml::de::Error| error.message().to_owned())
    }
}

/// The suffix that makes an entry a prefix pattern.
const REST: char = '*';

/// Whether an entry of a description, a name or a prefix pattern, matches an operation.
pub(super) fn stands_for(entry: &str, operation: &str) -> bool {
    match entry.strip_suffix(REST) {
        Some(beginning) => operation.starts_with(beginning),
        None => entry == operation,
    }
}

impl Description {
    /// The entry of a user operation. A full name has precedence over a prefix pattern, and a longer pattern over a
    /// shorter one.
    pub fn user_operation(&self, operation: &str) -> Option<&UserOperation> {
        let fitting = self.user_operations.iter().filter(|(entry, _)| stands_for(entry, operation));
        fitting.max_by_key(|(entry, _)| (!entry.ends_with(REST), entry.len())).map(|(_, found)| found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        title = "t"
        [sleigh]
        source = "t.slaspec"
        [registers]
        program_counter = "PC"
        [user_operations]
        fence = "nothing"
        "identify*" = { model = "table", answers = [1, 2] }
        "identify_brand*" = "nothing"
        identify_brand_name = { model = "constant", value = 7 }
    "#;

    fn description(text: &str) -> Result<Description, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn the_entry_that_says_most_is_taken() {
        let description = description(TEXT).expect("a description");
        let model = |name| description.user_operation(name).map(|operation| operation.model.as_str());
        assert_eq!(model("fence"), Some("nothing"));
        assert_eq!(model("fences"), None);
        assert_eq!(model("identify"), Some("table"));
        assert_eq!(model("identify_brand_part"), Some("nothing"));
        assert_eq!(model("identify_brand_name"), Some("constant"));
    }

    #[test]
    fn parameters_are_the_models_own() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Value {
            value: u64,
        }
        let description = description(TEXT).expect("a description");
        let operation = |name| description.user_operation(name).expect("an entry");
        assert_eq!(operation("identify_brand_name").parameters::<Value>().expect("a value").value, 7);
        assert!(operation("fence").parameters::<Value>().expect_err("nothing given").contains("value"));
        assert!(operation("identify").parameters::<Value>().expect_err("too much").contains("answers"));
    }

    #[test]
    fn a_table_without_a_model_is_refused() {
        let text = TEXT.replace(r#"fence = "nothing""#, "fence = { value = 1 }");
        assert!(description(&text).expect_err("no model").contains("`model`"));
    }
}
