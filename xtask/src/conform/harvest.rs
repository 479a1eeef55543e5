//! The instructions of a program, by their form.

use super::description::Program;
use super::form::Forms;
use super::random::Random;
use crate::sweep::{Code, ProgramEntry, read_code};
use everypath_ir::Context;
use everypath_lift::Architecture;
use everypath_sleigh as sleigh;
use std::collections::BTreeMap;

/// How many instructions of one form are kept.
pub(super) const KEPT: usize = 24;
/// How many bytes of an instruction, with delay slots, are kept.
pub(super) const WINDOW: usize = 32;

/// An instruction as it stands in the program.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// Its bytes, and some behind it.
    pub(super) bytes: Vec<u8>,
    pub(super) context: Context,
    /// Where it lies in the executor's memory.
    pub(super) home: u64,
}

/// All instructions of one form.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// How often it occurs.
    pub(super) count: u64,
    /// Some of them, no two the same.
    pub(super) instances: Vec<Instance>,
}

/// Decodes a program from front to back.
///
/// # Errors
/// If it cannot be read.
pub(super) fn harvest(
    architecture: &Architecture,
    start: Context,
    program: &Program,
    random: &mut Random,
) -> Result<BTreeMap<String, Found>, String> {
    let entry = ProgramEntry {
        name: program.path.clone(),
        path: program.path.clone(),
        package: program.package.clone(),
        architecture: architecture.name().to_owned(),
        step: program.step as u64,
        context: BTreeMap::new(),
        anchor: 0,
    };
    let Code { base, bytes: text } = read_code(&entry, usize::MAX)?;
    let specification = architecture.specification();
    let forms = Forms::new(specification);
    let mut decoder = specification.decoder_from(sleigh::Context(start.0));
    let mut all: BTreeMap<String, Found> = BTreeMap::new();
    let mut context = start;
    let mut position = 0;
    while position < text.len() {
        let address = base + position as u64;
        let window = &text[position..text.len().min(position + 64)];
        let Ok(instruction) = decoder.disassemble(window, address, sleigh::Context(context.0)) else {
            position += program.step;
            context = start;
            continue;
        };
        let length = instruction.length() as usize;
        let found = all.entry(forms.form(&instruction.text())).or_default();
        found.count += 1;
        let bytes = window[..window.len().min(WINDOW)].to_vec();
        let is_new = found.instances.iter().all(|other| other.bytes.get(..length) != bytes.get(..length));
        if is_new {
            let instance = Instance { bytes, context, home: 0 };
            if found.instances.len() < KEPT {
                found.instances.push(instance);
            } else {
                // Each has the same chance to stay, wherever in the program it stands.
                let place = random.below(found.count) as usize;
                if place < KEPT {
                    found.instances[place] = instance;
                }
            }
        }
        // Only what flows to the very next instruction is kept: data that is decoded must not change the mode.
        let next = address + length as u64;
        context = architecture.successor_context(start, instruction.commits(), next);
        position += length.max(1);
    }
    Ok(all)
}
