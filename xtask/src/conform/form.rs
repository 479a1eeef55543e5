//! The form of an instruction: its text with registers and numbers replaced by their kinds.

use everypath_sleigh::Specification;
use std::collections::HashMap;

/// Computes forms from the names of registers.
pub(super) struct Forms {
    sizes: HashMap<String, u32>,
}

impl Forms {
    pub(super) fn new(specification: &Specification) -> Self {
        let sizes = specification.registers().iter();
        Self { sizes: sizes.map(|register| (register.name.clone(), register.varnode.size)).collect() }
    }

    /// The form of an instruction with this text.
    pub(super) fn form(&self, text: &str) -> String {
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
        let mut form = mnemonic.to_owned();
        let mut rest = operands.trim_start();
        if !rest.is_empty() {
            form.push(' ');
        }
        while let Some(first) = rest.chars().next() {
            let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
            if first == '{' {
                // Register lists of any length are one form.
                form.push_str("{list}");
                rest = rest.split_once('}').map_or("", |(_, rest)| rest);
            } else if is_word(first) {
                let end = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                rest = after;
                if first.is_ascii_digit() {
                    while form.ends_with('-') {
                        form.pop();
                    }
                    form.push('#');
                } else if let Some(size) = self.sizes.get(word) {
                    form.push_str(&format!("r{size}"));
                } else {
                    form.push_str(word);
                }
            } else {
                form.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        form
    }
}

#[cfg(test)]
mod tests {
    use super::Forms;

    #[test]
    fn registers_and_numbers_are_replaced() {
        let sizes = [("RAX", 8), ("EAX", 4), ("r4", 4)].map(|(name, size)| (name.to_owned(), size));
        let forms = Forms { sizes: sizes.into() };
        assert_eq!(forms.form("MOV EAX,dword ptr [RAX + -0x10]"), "MOV r4,dword ptr [r8 + #]");
        assert_eq!(forms.form("push {r4, r5}"), "push {list}");
        assert_eq!(forms.form("RET"), "RET");
        // A mnemonic that looks like a register is kept.
        assert_eq!(forms.form("r4 12"), "r4 #");
    }
}
