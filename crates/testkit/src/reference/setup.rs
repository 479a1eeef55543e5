//! The configuration of the reference: a specification and its initial context.

/// A processor for the reference.
#[derive(Clone, Debug)]
pub struct ReferenceSetup {
    /// The compiled specification (contents of a `.sla` file).
    pub sla: Vec<u8>,
    /// The processor specification (text of a `.pspec` file); without it, the smallest possible one.
    pub pspec: Option<String>,
    /// Name of the code space: `ram` in most specifications.
    pub code_space: String,
    /// Context variables and their initial values, applied after those of the processor specification.
    /// For [`Words`](super::Words), each variable that instructions set for other addresses belongs here.
    pub context: Vec<(String, u32)>,
    /// The distance in bytes at which a [`ReferenceSweep`](super::ReferenceSweep) resets the context variables to these
    /// values; 0 for never. Commits of a wrongly decoded instruction end there.
    pub anchor: u64,
    /// Whether answers include the disassembly.
    pub with_text: bool,
}

impl ReferenceSetup {
    /// A setup in the usual code space, with neither context nor disassembly.
    pub fn new(sla: &[u8], pspec: &str) -> Self {
        Self {
            sla: sla.to_vec(),
            pspec: Some(pspec.to_owned()),
            code_space: "ram".to_owned(),
            context: Vec::new(),
            anchor: 0,
            with_text: false,
        }
    }

    /// The same with one more context variable.
    #[must_use]
    pub fn context(mut self, variable: &str, value: u32) -> Self {
        self.context.push((variable.to_owned(), value));
        self
    }
}
