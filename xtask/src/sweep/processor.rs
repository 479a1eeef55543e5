//! One architecture for both decoders: ours with its specification, the reference with the same one and the smallest
//! processor specification that says what the architecture's description says.

use everypath_lift::{Architecture, Library};
use everypath_sleigh::{Context, ContextField, Specification};
use everypath_testkit::reference::{Reference, ReferenceError, Setup};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The argument with which this program acts as the reference's child process.
const CHILD_ARGUMENT: &str = "reference";

/// An architecture in the context in which its code is decoded.
pub struct Processor {
    architecture: Arc<Architecture>,
    compiled: Vec<u8>,
    context: Context,
    program: PathBuf,
}

impl Processor {
    /// Loads a built-in architecture, with other values for some context fields.
    ///
    /// # Errors
    /// If it is not built in, or has no such fields.
    pub fn load(name: &str, context_fields: &BTreeMap<String, u64>) -> Result<Self, String> {
        let library = Library::built_in();
        let architecture = library.load(name).map_err(|error| error.to_string())?;
        let compiled = library.compiled(name).map_err(|error| error.to_string())?.into_owned();
        let mut context = Context(architecture.default_context().0);
        for (field, value) in context_fields {
            architecture
                .specification()
                .set_context_field(&mut context, field, u128::from(*value))
                .map_err(|error| format!("{name}: {error}"))?;
        }
        let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
        Ok(Self { architecture, compiled, context, program })
    }

    /// Its specification.
    pub fn specification(&self) -> &Specification {
        self.architecture.specification()
    }

    /// The context in which its code starts.
    pub fn context(&self) -> Context {
        self.context
    }

    /// The highest address of code, in bytes.
    pub(super) fn last_address(&self) -> u64 {
        let specification = self.specification();
        specification.space(specification.default_space()).highest
    }

    /// The bits of the context fields that are not zero in `context` or have bits in `listed`.
    pub(super) fn listed_mask(&self, context: Context, listed: u128) -> u128 {
        self.listed_fields(context, listed).fold(0, |mask, field| mask | field.mask)
    }

    fn listed_fields(&self, context: Context, listed: u128) -> impl Iterator<Item = &ContextField> {
        let fields = self.specification().context_fields().iter();
        fields.filter(move |field| field.mask & listed != 0 || field.get(context) != 0)
    }

    /// A setup of the reference for code that starts in `context`. The fields that are not zero there or have bits
    /// in `listed` are given to it one by one.
    pub fn setup(&self, context: Context, listed: u128) -> Setup {
        let specification = self.specification();
        let variables = self.listed_fields(context, listed).map(|field| {
            let value = u32::try_from(field.get(context)).expect("the reference has no wider fields either");
            (field.name.clone(), value)
        });
        let counter = &self.architecture.description().registers.program_counter;
        Setup {
            sla: self.compiled.clone(),
            pspec: Some(format!("<processor_spec><programcounter register=\"{counter}\"/></processor_spec>")),
            code_space: specification.space(specification.default_space()).name.clone(),
            context: variables.collect(),
            anchor: 0,
            with_text: true,
        }
    }

    /// The reference with a setup: this program itself, as a child.
    ///
    /// # Errors
    /// If its files cannot be written.
    pub fn reference(&self, setup: &Setup) -> Result<Reference, ReferenceError> {
        Ok(Reference::new(&self.program, setup)?.with_arguments(&[CHILD_ARGUMENT]))
    }
}
