//! Evidence for the semantics of instructions: what each mnemonic of a program was compared with.

/// The mnemonic of an instruction: the first word of its assembly text.
#[must_use]
pub fn mnemonic(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// The evidence for the semantics of one mnemonic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionEvidence {
    /// The mnemonic.
    pub mnemonic: String,
    /// Number of instruction vectors, which are written from the processor's data sheet.
    pub vectors: u64,
    /// Comparisons of single instructions with independent executors; only executors that ran this mnemonic.
    pub comparisons: Vec<ExecutorComparison>,
}

/// Comparisons of one mnemonic with one executor: a processor, an emulator or a simulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorComparison {
    /// The executor.
    pub executor: String,
    /// Number of cases in which nothing differed.
    pub equal: u64,
    /// Number of cases with a difference that is known and explained.
    pub explained: u64,
}

impl InstructionEvidence {
    /// Whether there is any: a vector, or a case in which nothing differed.
    #[must_use]
    pub fn is_some(&self) -> bool {
        self.vectors > 0 || self.comparisons.iter().any(|comparison| comparison.equal > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_that_is_explained_is_no_evidence() {
        let comparison = |equal| ExecutorComparison { executor: "qemu".to_owned(), equal, explained: 3 };
        let evidence = |equal| InstructionEvidence {
            comparisons: vec![comparison(equal)],
            ..InstructionEvidence::default()
        };
        assert!(!evidence(0).is_some());
        assert!(evidence(1).is_some());
        assert!(InstructionEvidence { vectors: 1, ..InstructionEvidence::default() }.is_some());
    }

    #[test]
    fn the_mnemonic_is_the_first_word() {
        assert_eq!(mnemonic("ADD A,#0x10"), "ADD");
        assert_eq!(mnemonic("  ret"), "ret");
        assert_eq!(mnemonic(""), "");
    }
}
