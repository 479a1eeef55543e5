//! Checks a claim of the value-set analysis by symbolic execution of one basic block (King 1976): a solver searches for
//! a state that satisfies the claimed values before the block and takes the exit that they exclude.

use std::collections::{BTreeMap, BTreeSet};

use everypath_analyze::{Claim, Number};
use everypath_ir::{Endian, Location, Op, SpaceId, Width};
use everypath_machine::{Access, Computation, Domain, Fault, Fixed, ReadyBlock, UserCall, run_steps};
use everypath_solve::{Answer, Query, QueryLimits, Solver};
use everypath_term::{Input, Term, Terms};

/// Checks a claim with a solver. Only [`Answer::Unsat`] confirms it.
///
/// The solver must be a new one: its caches hold for one pool of terms only.
pub fn check_claim(claim: &Claim<'_>, mut solver: Box<dyn Solver>, limits: &QueryLimits) -> Answer {
    let mut terms = Terms::new();
    let layout = claim.layout();
    let nothing = terms.truth(false);
    let mut ready = ReadyBlock::new(layout, claim.block().clone(), |bits| terms.constant(bits), || nothing);
    let mut domain = Fresh {
        claim,
        terms: &mut terms,
        bytes: BTreeMap::new(),
        unknown: BTreeSet::new(),
        inputs: 0,
        conditions: Vec::new(),
    };
    // No step of this domain fails.
    let _ = run_steps(&mut domain, &mut ready);
    let mut conditions = domain.conditions;
    // The exit is taken if its guard holds and none before it does.
    for out in &ready.exits {
        let Some(guard) = out.guard else {
            if out.exit < claim.exit() {
                conditions.push(terms.truth(false));
            }
            continue;
        };
        let guard = ready.values[guard as usize];
        match out.exit.cmp(&claim.exit()) {
            std::cmp::Ordering::Less => conditions.push(terms.not(guard)),
            std::cmp::Ordering::Equal => conditions.push(guard),
            std::cmp::Ordering::Greater => {}
        }
    }
    let query = Query { conditions: &conditions, known: None };
    solver.check(&mut terms, query, limits)
}

/// Symbolic execution of a block from an arbitrary state that satisfies a claim.
struct Fresh<'c> {
    claim: &'c Claim<'c>,
    terms: &'c mut Terms,
    /// Symbolic contents of the bytes read or written so far.
    bytes: BTreeMap<Location, Term>,
    /// Havocked spaces, in which only bytes written since are known.
    unknown: BTreeSet<SpaceId>,
    inputs: u32,
    /// Constraints of the claimed value sets.
    conditions: Vec<Term>,
}

impl Fresh<'_> {
    fn input(&mut self, width: Width) -> Term {
        let terms = &mut *self.terms;
        let mut whole: Option<Term> = None;
        for _ in 0..width.bytes() {
            let byte = terms.input(Input(self.inputs));
            self.inputs += 1;
            whole = Some(match whole {
                Some(low) => terms.concat(byte, low),
                None => byte,
            });
        }
        let whole = whole.expect("a width has a byte");
        if terms.width(whole) == width { whole } else { terms.extract(whole, 0, width) }
    }

    /// A term constrained to a claimed value set.
    fn constrained_value(&mut self, number: &Number) -> Term {
        let width = number.width();
        if let Some(number) = number.single() {
            return self.terms.constant_u64(number, width);
        }
        let term = self.input(width);
        let terms = &mut *self.terms;
        if let Some(few) = number.as_finite_set() {
            let mut any = terms.truth(false);
            for number in few {
                let number = terms.constant_u64(*number, width);
                let same = terms.eq(term, number);
                any = terms.or(any, same);
            }
            self.conditions.push(any);
        } else if let Some(interval) = number.interval().filter(|interval| !interval.is_all()) {
            let low = terms.constant_u64(interval.low(), width);
            let span = terms.constant_u64(interval.span(), width);
            let away = terms.apply(Op::Sub, width, &[term, low]);
            self.conditions.push(terms.apply(Op::Ule, Width::W1, &[away, span]));
            if interval.stride() > 1 {
                let stride = terms.constant_u64(interval.stride(), width);
                let rest = terms.apply(Op::Urem, width, &[away, stride]);
                let zero = terms.constant_u64(0, width);
                self.conditions.push(terms.eq(rest, zero));
            }
        }
        term
    }

    /// The locations of a value's bytes, from the lowest.
    fn places(location: Location, width: Width, endian: Endian) -> Vec<Location> {
        let size = width.bytes();
        let place = |byte: usize| {
            let offset = location.offset.wrapping_add(endian.place(byte, size) as u64);
            Location { offset, ..location }
        };
        (0..size).map(place).collect()
    }

    fn read(&mut self, location: Location, width: Width, endian: Endian) -> Term {
        if self.claim.is_volatile(location, width) {
            return self.input(width);
        }
        let places = Self::places(location, width, endian);
        let is_known = !self.unknown.contains(&location.space);
        if places.iter().all(|place| !self.bytes.contains_key(place)) {
            let whole = match is_known {
                true => self.constrained_value(&self.claim.number(location, width)),
                false => self.input(width),
            };
            self.keep(&places, whole);
            return whole;
        }
        let mut whole: Option<Term> = None;
        for place in places {
            let byte = match self.bytes.get(&place) {
                Some(byte) => *byte,
                None => {
                    let byte = match is_known {
                        true => self.constrained_value(&self.claim.number(place, Width::W8)),
                        false => self.input(Width::W8),
                    };
                    self.bytes.insert(place, byte);
                    byte
                }
            };
            whole = Some(match whole {
                Some(low) => self.terms.concat(byte, low),
                None => byte,
            });
        }
        let whole = whole.expect("a value has a byte");
        let terms = &mut *self.terms;
        if terms.width(whole) == width { whole } else { terms.extract(whole, 0, width) }
    }

    fn keep(&mut self, places: &[Location], value: Term) {
        let terms = &mut *self.terms;
        let Some(width) = Width::of_bytes(places.len()) else { return };
        let value = if terms.width(value) == width { value } else { terms.apply(Op::Zext, width, &[value]) };
        for (number, place) in places.iter().enumerate() {
            let byte = terms.byte(value, number as u32);
            self.bytes.insert(*place, byte);
        }
    }

    fn havoc_space(&mut self, space: SpaceId) {
        self.bytes.retain(|place, _| place.space != space);
        self.unknown.insert(space);
    }

    fn constant_of(&self, term: Term) -> Option<u64> {
        self.terms.as_u64(term)
    }
}

impl Domain for Fresh<'_> {
    type Value = Term;

    fn compute(&mut self, computation: &Computation, values: &mut [Term]) {
        let arguments = computation.arguments.map(|slot| values[slot as usize]);
        let arguments = &arguments[..computation.op.arity()];
        values[computation.result as usize] =
            self.terms.apply(computation.op, computation.result_width, arguments);
    }

    fn get(&mut self, place: &Fixed, values: &mut [Term]) -> Result<(), Fault> {
        values[place.slot as usize] = self.read(place.location, place.width, place.endian);
        Ok(())
    }

    fn put(&mut self, place: &Fixed, values: &mut [Term]) -> Result<(), Fault> {
        self.keep(&Self::places(place.location, place.width, place.endian), values[place.slot as usize]);
        Ok(())
    }

    fn load(&mut self, access: &Access, values: &mut [Term]) -> Result<(), Fault> {
        let loaded = match self.constant_of(values[access.address as usize]) {
            Some(offset) => self.read(Location { space: access.space, offset }, access.width, access.endian),
            // From an unknown address, any value.
            None => self.input(access.width),
        };
        values[access.slot as usize] = match access.guard {
            None => loaded,
            Some(guard) => {
                let terms = &mut *self.terms;
                let zero = terms.constant_u64(0, access.width);
                terms.select(values[guard as usize], loaded, zero)
            }
        };
        Ok(())
    }

    fn store(&mut self, access: &Access, values: &mut [Term]) -> Result<(), Fault> {
        let guard = access.guard.map(|guard| values[guard as usize]);
        if guard.is_some_and(|guard| self.constant_of(guard) == Some(0)) {
            return Ok(());
        }
        let Some(offset) = self.constant_of(values[access.address as usize]) else {
            self.havoc_space(access.space);
            return Ok(());
        };
        let location = Location { space: access.space, offset };
        let mut value = values[access.slot as usize];
        if let Some(guard) = guard {
            let before = self.read(location, access.width, access.endian);
            value = self.terms.select(guard, value, before);
        }
        self.keep(&Self::places(location, access.width, access.endian), value);
        Ok(())
    }

    fn user(&mut self, call: &UserCall, values: &mut [Term]) -> Result<(), Fault> {
        if !self.claim.is_harmless(call.operation) {
            for number in 0..self.claim.layout().spaces.len() {
                self.havoc_space(SpaceId(number as u8));
            }
        }
        if let Some((slot, width)) = call.result {
            values[slot as usize] = self.input(width);
        }
        Ok(())
    }
}
