//! The true jump tables of a program, from relocations and from instructions that are followed by their table.

use super::listing::Listing;
use super::relocation::Reference;
use super::truth::Truth;
use everypath_image::{Image, SymbolKind};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A jump table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Its address.
    pub address: u64,
    /// The function that it belongs to.
    pub owner: u64,
    /// Its targets.
    pub targets: BTreeSet<u64>,
    /// Whether a compiler emitted it for a `switch`; others are written by the programmer and have a name.
    pub switch: bool,
}

/// An instruction that is followed by its table: each entry, times the scale, is relative to the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inline {
    name: String,
    entry: usize,
    scale: u64,
}

/// The minimum number of targets of a table.
const LEAST: usize = 2;

/// The tables that consist of relocated words, each from a referenced address on.
///
/// An entry is an address inside a function, or such an address less that of the table.
pub(super) fn outside(truth: &Truth, image: &Image, references: &[Reference]) -> Vec<Table> {
    let places: BTreeMap<u64, u64> =
        references.iter().map(|reference| (reference.at, reference.to)).collect();
    let mut bases: BTreeMap<u64, Vec<&Reference>> = BTreeMap::new();
    for reference in references.iter().filter(|reference| !reference.function) {
        bases.entry(reference.to).or_default().push(reference);
    }
    // Code of other functions has no table here: it refers to an element before its own data.
    let begins = |at: u64, owner: u64| {
        let mut named = bases.get(&at).into_iter().flatten();
        named.any(|from| !from.code || truth.function_of(from.at).is_none() || truth.is_same(owner, from.at))
    };
    let named: BTreeMap<u64, u64> = image
        .symbols()
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Object && symbol.size > 0)
        .map(|symbol| (symbol.address, symbol.address + symbol.size))
        .collect();
    let mut tables = Vec::new();
    for base in bases.keys().copied().filter(|base| places.contains_key(base)) {
        let Some((next, _)) = places.range(base + 1..).next() else { continue };
        let step = next - base;
        let name = named.range(..=base).next_back().filter(|(_, end)| base < **end);
        for relative in [false, true] {
            let mut table =
                Table { address: base, owner: 0, targets: BTreeSet::new(), switch: name.is_none() };
            let mut at = base;
            while (step == 4 || step == 8)
                && places.contains_key(&at)
                && (at == base || !begins(at, table.owner))
                && name.is_none_or(|(_, end)| at < *end)
            {
                let Some(value) = read(image, at, step as usize) else { break };
                let signed = if step == 4 { i64::from(value as u32 as i32) as u64 } else { value };
                let target = truth.plain(if relative { base.wrapping_add(signed) } else { value });
                let Some(owner) = truth.function_of(target) else { break };
                let inside = owner != target || truth.name(owner).contains(".cold");
                if !inside || !truth.instructions.contains(&target) {
                    break;
                }
                if table.targets.is_empty() {
                    if !begins(base, owner) {
                        break;
                    }
                    table.owner = owner;
                } else if !truth.is_same(table.owner, target) {
                    break;
                }
                table.targets.insert(target);
                at += step;
            }
            if at - base >= LEAST as u64 * step {
                tables.push(table);
                break;
            }
        }
    }
    tables
}

/// The tables that follow instructions.
pub(super) fn inline(truth: &Truth, image: &Image, listing: &Listing, habits: &[Inline]) -> Vec<Table> {
    let mut tables = Vec::new();
    for (address, name) in &listing.instructions {
        let Some(habit) = habits.iter().find(|habit| habit.name == *name) else { continue };
        let Some(owner) = truth.function_of(*address) else { continue };
        // The instruction has four bytes, and the next one follows the table.
        let base = address + 4;
        let Some((end, _)) = listing.instructions.range(base..).next() else { continue };
        let mut targets = BTreeSet::new();
        for at in (base..*end).step_by(habit.entry) {
            // The last entry may be padding.
            if let Some(value) = read(image, at, habit.entry).filter(|value| *value > 0) {
                targets.insert(base + value * habit.scale);
            }
        }
        tables.push(Table { address: base, owner, targets, switch: true });
    }
    tables
}

/// The tables among instructions whose address an instruction computes; entries are words relative to it.
pub(super) fn near(truth: &Truth, image: &Image, listing: &Listing) -> Vec<Table> {
    let mut tables = Vec::new();
    for base in listing.tables.iter().copied().filter(|base| !listing.instructions.contains_key(base)) {
        let Some(owner) = truth.function_of(base) else { continue };
        let Some((end, _)) = listing.instructions.range(base..).next() else { continue };
        let words = (base..*end).step_by(4).map_while(|at| read(image, at, 4));
        let targets = words.map(|word| truth.plain(base.wrapping_add(word) & u64::from(u32::MAX)));
        let is_inside = |target: &u64| truth.instructions.contains(target) && truth.is_same(owner, *target);
        let targets: BTreeSet<u64> = targets.take_while(is_inside).collect();
        if targets.len() >= LEAST {
            tables.push(Table { address: base, owner, targets, switch: true });
        }
    }
    tables
}

fn read(image: &Image, address: u64, size: usize) -> Option<u64> {
    let mut bytes = [0; 8];
    let endian = image.machine()?.endian;
    let read = image.read_at(address, &mut bytes[..size]);
    (read == size).then(|| endian.number(&bytes[..size]))
}
