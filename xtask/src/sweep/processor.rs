//! One architecture for both decoders: ours with its specification, the reference with the same one and a minimal
//! processor specification that is equivalent to the architecture's description.

use everypath_lift::{Architecture, Library};
use everypath_sleigh::{ContextField, DecodingContext, Specification};
use everypath_testkit::reference::{Reference, ReferenceError, ReferenceSetup};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The argument that makes this program act as the reference's child process.
const CHILD_ARGUMENT: &str = "reference-decoder";

/// An architecture with a default context.
pub struct Processor {
    architecture: Arc<Architecture>,
    compiled: Vec<u8>,
    context: DecodingContext,
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
        let mut context = DecodingContext(architecture.default_context().0);
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

    /// The default context of its code.
    pub fn context(&self) -> DecodingContext {
        self.context
    }

    /// The highest address of code, in bytes.
    pub(super) fn last_address(&self) -> u64 {
        let specification = self.specification();
        specification.space(specification.default_space()).highest
    }

    /// The bits of the context fields that are not zero in `context` or have bits in `listed`.
    pub(super) fn listed_mask(&self, context: DecodingContext, listed: u128) -> u128 {
        self.listed_fields(context, listed).fold(0, |mask, field| mask | field.mask)
    }

    fn listed_fields(&self, context: DecodingContext, listed: u128) -> impl Iterator<Item = &ContextField> {
        let fields = self.specification().context_fields().iter();
        fields.filter(move |field| field.mask & listed != 0 || field.get(context) != 0)
    }

    /// A setup of the reference for code that starts in `context`. Fields that are not zero there or have bits in
    /// `listed` are passed one by one.
    pub fn setup(&self, context: DecodingContext, listed: u128) -> ReferenceSetup {
        let specification = self.specification();
        let variables = self.listed_fields(context, listed).map(|field| {
            let value = u32::try_from(field.get(context)).expect("the reference has no wider fields either");
            (field.name.clone(), value)
        });
        let counter = &self.architecture.description().registers.program_counter;
        ReferenceSetup {
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
    pub fn reference(&self, setup: &ReferenceSetup) -> Result<Reference, ReferenceError> {
        Ok(Reference::new(&self.program, setup)?.with_arguments(&[CHILD_ARGUMENT]))
    }
}
