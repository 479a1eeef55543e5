//! The instructions of programs, by their form.

use super::description::{Pair, Program};
use super::form::Forms;
use super::known::matches;
use crate::sweep::{Code, ProgramEntry, read_code};
use everypath_ir::Context;
use everypath_lift::Architecture;
use everypath_sleigh as sleigh;
use everypath_testkit::random::Random;
use std::collections::BTreeMap;

/// The number of instructions of one form that are kept.
pub(super) const KEPT: usize = 24;
/// The number of bytes of an instruction, with delay slots, that are kept.
pub(super) const WINDOW: usize = 32;

/// An instruction of the program.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// Its bytes, and some after it.
    pub(super) bytes: Vec<u8>,
    pub(super) context: Context,
    /// The number of leading bytes that belong to an instruction that must run before it.
    pub(super) lead: usize,
    /// Its address in the executor's memory.
    pub(super) home: u64,
}

/// All instructions of one form.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// The number of occurrences.
    pub(super) count: u64,
    /// A sample of them, without duplicates.
    pub(super) instances: Vec<Instance>,
}

impl Found {
    /// Keeps an instance by reservoir sampling (Vitter 1985): all counted instances are equally likely to be among the
    /// `most` kept.
    pub(super) fn keep(&mut self, instance: Instance, most: usize, random: &mut Random) {
        if self.instances.len() < most {
            self.instances.push(instance);
            return;
        }
        let place = random.number_below(self.count) as usize;
        if place < most {
            self.instances[place] = instance;
        }
    }
}

/// The maximum distance between the instructions of a pair.
const NEAR: u64 = 64;

/// The first instruction of a pair.
struct First {
    /// The pattern of the second's form.
    second: String,
    /// The last operand, common to both.
    operand: String,
    bytes: Vec<u8>,
    context: Context,
    address: u64,
}

impl First {
    /// Whether an instruction is the second of the pair.
    fn leads(&self, form: &str, text: &str, context: Context, address: u64) -> bool {
        let is_near = address.wrapping_sub(self.address) <= NEAR;
        is_near && self.context == context && text.ends_with(&self.operand) && matches(&self.second, form)
    }
}

/// The bytes of the instructions that a description lists.
fn more(list: &[String]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for instruction in list {
        for pair in instruction.as_bytes().chunks(2) {
            let digits = std::str::from_utf8(pair).ok().filter(|digits| digits.len() == 2);
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            bytes.push(byte.ok_or_else(|| format!("`{instruction}` in `more` is no sequence of bytes"))?);
        }
    }
    Ok(bytes)
}

/// Decodes the instructions that a description lists, and then its programs, from front to back.
///
/// # Errors
/// If one cannot be read.
pub(super) fn harvest(
    architecture: &Architecture,
    start: Context,
    program: &Program,
    pairs: &[Pair],
    random: &mut Random,
) -> Result<BTreeMap<String, Found>, String> {
    let mut all = BTreeMap::new();
    let mut listed = more(&program.more)?;
    for path in std::iter::once(&program.path).chain(&program.further) {
        let entry = ProgramEntry {
            name: path.clone(),
            path: path.clone(),
            package: program.package.clone(),
            architecture: architecture.name().to_owned(),
            step: program.step as u64,
            context: BTreeMap::new(),
            anchor: 0,
        };
        let Code { base, bytes: own } = read_code(&entry, usize::MAX)?;
        let mut bytes = std::mem::take(&mut listed);
        let base = base.saturating_sub(bytes.len() as u64);
        bytes.extend(own);
        decode(architecture, start, &Code { base, bytes }, program.step, pairs, random, &mut all);
    }
    Ok(all)
}

/// Decodes code from front to back and adds its instructions to `all`.
fn decode(
    architecture: &Architecture,
    start: Context,
    code: &Code,
    step: usize,
    pairs: &[Pair],
    random: &mut Random,
    all: &mut BTreeMap<String, Found>,
) {
    let Code { base, bytes: text } = code;
    let specification = architecture.specification();
    let forms = Forms::new(specification);
    let mut decoder = specification.decoder_from(sleigh::DecodingContext(start.0));
    let mut context = start;
    let mut position = 0;
    let mut earlier: Option<First> = None;
    while position < text.len() {
        let address = base + position as u64;
        let window = &text[position..text.len().min(position + 64)];
        let Ok(instruction) = decoder.disassemble(window, address, sleigh::DecodingContext(context.0)) else {
            position += step;
            context = start;
            continue;
        };
        let length = instruction.length() as usize;
        let text = instruction.text();
        let form = forms.form(&text);
        let mut bytes = Vec::new();
        if let Some(first) = &earlier
            && first.leads(&form, &text, context, address)
        {
            bytes.extend(&first.bytes);
        }
        if let Some(pair) = pairs.iter().find(|pair| matches(&pair.first, &form)) {
            let operand = text.split_once(',').map_or("", |(_, operand)| operand).to_owned();
            let bytes = window[..length].to_vec();
            earlier = Some(First { second: pair.second.clone(), operand, bytes, context, address });
        }
        let found = all.entry(form).or_default();
        found.count += 1;
        let lead = bytes.len();
        bytes.extend(window);
        bytes.truncate(WINDOW);
        let own = lead + length;
        let is_new = found.instances.iter().all(|other| other.bytes.get(..own) != bytes.get(..own));
        if is_new {
            found.keep(Instance { bytes, context, lead, home: 0 }, KEPT, random);
        }
        // Only context that flows to the next instruction is kept: data that is decoded as code must not change the
        // mode.
        let next = address + length as u64;
        context = architecture.successor_context(start, instruction.commits(), next);
        position += length.max(1);
    }
}
