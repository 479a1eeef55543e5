//! Where runs of tests have been: a test goes on from the last point to which an earlier one came with the same input.
//!
//! A concrete run depends on nothing but what memory and registers hold at the start and what cells give, so this is the run
//! from the start. Tests of one exploration mostly differ in what is read last.

use std::sync::Arc;

use everypath_environment::Reading;

use crate::given::Given;
use crate::replay::Running;

/// So many instructions lie between two points at least: a point costs as much as some tens of them.
const APART: u64 = 100;
/// A point has all that was read before it. So that what the points of one run hold together grows as its readings do and not
/// as their square, they lie the further apart the more was read: by its readings divided by this.
const READINGS_APART: u64 = 4;
/// So many points are kept, of some pages each, before all are dropped.
const KEPT: usize = 2048;

/// A value that was read from a cell.
struct Read {
    cell: Arc<str>,
    ordinal: usize,
    /// The bits that were read, and what they were.
    mask: u64,
    value: Option<u64>,
}

impl Read {
    /// A reading, by its number among all.
    fn of(readings: &[Reading], number: usize) -> Read {
        let Reading { cell, value, .. } = &readings[number];
        let ordinal = readings[..number].iter().filter(|before| before.cell == *cell).count();
        let mask = u64::MAX >> (64 - value.width().bits().min(64));
        Read { cell: cell.clone(), ordinal, mask, value: value.to_u64() }
    }

    /// Whether the cell gives the same there. What is not said of a cell is the same in every run.
    fn is_given(&self, given: &Given) -> bool {
        let Some(cell) = given.cells.iter().find(|cell| *cell.name == *self.cell) else { return true };
        cell.values.get(self.ordinal).is_some_and(|value| Some(value & self.mask) == self.value)
    }
}

/// A point of a run, with those to which runs came from there.
struct Milestone {
    running: Running,
    /// What was read since the point before.
    reads: Vec<Read>,
    next: Vec<usize>,
}

/// The points of the runs so far.
#[derive(Default)]
pub(crate) struct Milestones {
    list: Vec<Milestone>,
    /// The first points, by what memory and registers hold at the start.
    first: Vec<(Given, usize)>,
}

impl Milestones {
    /// The furthest point to which a run with this input comes within so many instructions, and its number.
    pub(crate) fn furthest(&mut self, given: &Given, limit: u64) -> Option<(Running, usize)> {
        let (_, mut number) = *self.first.iter().find(|(start, _)| is_same_start(start, given))?;
        let goes_on = |milestone: &Milestone| {
            milestone.running.done < limit && milestone.reads.iter().all(|read| read.is_given(given))
        };
        loop {
            let next = self.list[number].next.iter().copied().find(|next| goes_on(&self.list[*next]));
            match next {
                Some(next) => number = next,
                None => break,
            }
        }
        let mut running = self.list[number].running.fork();
        running.world.script_further(given.scripts());
        Some((running, number))
    }

    /// Makes a point of where a run is, if that is far enough from the last one, whose number is given. Gives the number of
    /// the last one then.
    pub(crate) fn pass(
        &mut self,
        given: &Given,
        last: Option<usize>,
        running: &mut Running,
    ) -> Option<usize> {
        let readings = &running.world.readings;
        let from = match last.map(|last| &self.list[last].running) {
            Some(before) if running.done < before.done + apart(readings.len()) => return last,
            Some(before) if readings.len() == before.world.readings.len() => return last,
            Some(before) => before.world.readings.len(),
            // All points were dropped on the way.
            None if running.done > 0 => return None,
            None => 0,
        };
        if self.list.len() == KEPT {
            self.list.clear();
            self.first.clear();
            return None;
        }
        let reads = (from..readings.len()).map(|number| Read::of(readings, number)).collect();
        self.list.push(Milestone { running: running.fork(), reads, next: Vec::new() });
        let number = self.list.len() - 1;
        match last {
            Some(last) => self.list[last].next.push(number),
            None => self.first.push((Given { cells: Vec::new(), ..given.clone() }, number)),
        }
        Some(number)
    }
}

/// How many instructions lie between two points, where so much was read.
fn apart(readings: usize) -> u64 {
    APART.max(readings as u64 / READINGS_APART)
}

/// Whether memory and registers hold the same at the start.
fn is_same_start(a: &Given, b: &Given) -> bool {
    a.memory == b.memory && a.registers == b.registers
}
