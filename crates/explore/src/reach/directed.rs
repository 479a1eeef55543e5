//! The targets of a directed search: which are open, how often paths arrived there, how close they came, and the answers.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use everypath_environment::{Guest, GuestError, ReachTarget, TargetText};
use everypath_record::{Address, ClosestApproach, Direction, TargetAnswer, TargetVerdict};
use rustc_hash::FxHashMap;

use crate::frontier::pending::Pending;
use crate::path::roots::{Roots, TermHolder};
use crate::plan::{Criterion, Plan};
use crate::reach::distance::{TargetDistance, TargetDistances, takes_place};
use crate::reach::progress::{ProgressTable, TargetProgress};
use crate::strategy::Candidate;

/// Maximum number of paths that are kept pruned because no target can be reached from where they are.
const MAX_PRUNED: usize = 8_192;

/// The facts about one target.
#[derive(Default)]
pub(crate) struct TargetRecord {
    /// The number of times that control has reached the last point with all others passed.
    pub(crate) arrivals: u64,
    /// Number of those where the condition does not hold without depending on input.
    constant: u64,
    /// Number of those where the query for the condition was unsatisfiable.
    unsat: u64,
    /// Why an arrival proves nothing, each reason once.
    doubts: BTreeSet<String>,
    /// Whether a test confirms it, and the number of paths up to then.
    confirmed: Option<u64>,
    /// The evidence that it cannot be reached, and the number of paths up to then.
    refuted: Option<(String, u64)>,
    /// Whether that rests on the static analysis alone, which a later path may refute.
    is_refuted_statically: bool,
    /// The place nearest to it: the number of points not yet passed, the distance, and the address.
    closest: Option<(usize, u32, u64)>,
}

/// The targets of an exploration.
pub(crate) struct DirectedSearch {
    pub(crate) targets: Vec<ReachTarget>,
    records: Vec<TargetRecord>,
    pub(crate) progress: ProgressTable,
    /// For each address at which control may pass a point: the target and the number of the point.
    by_address: FxHashMap<u64, Vec<(usize, usize)>>,
    distances: TargetDistances,
    /// The state of the graph that the distances are of.
    generation: Option<u64>,
    /// Whether paths are pruned where no target can be reached.
    prunes: bool,
    /// The paths that were pruned.
    pruned: Vec<Pending>,
    /// Number of paths that are dropped for good.
    dropped: u64,
}

/// How a path at the last point of a target stands to the condition there.
pub(crate) enum Arrival {
    /// The condition never holds there.
    Constant,
    /// The solver found no input.
    Unsatisfiable,
    /// It is not known, for this reason.
    Doubtful(String),
}

impl DirectedSearch {
    /// The targets of a plan whose criterion they are.
    pub(crate) fn of_plan(guest: &Guest, plan: &Plan) -> Result<Option<DirectedSearch>, GuestError> {
        match (plan.criterion, plan.targets.is_empty()) {
            (Criterion::Target, true) => {
                Err(GuestError::new("the plan of a directed search names no target"))
            }
            (Criterion::Target, false) if plan.merge || plan.keep_all || plan.prove.is_some() => {
                Err(GuestError::new(
                    "a directed search neither merges paths, nor keeps all tests, nor explores an abstraction",
                ))
            }
            (Criterion::Target, false) => DirectedSearch::new(guest, &plan.targets).map(Some),
            (_, false) => Err(GuestError::new("a plan with targets has another criterion than targets")),
            (_, true) => Ok(None),
        }
    }

    /// Resolves the targets of a plan.
    fn new(guest: &Guest, texts: &[TargetText]) -> Result<DirectedSearch, GuestError> {
        let resolve = |text: &TargetText| {
            let resolved = guest.resolve_target(text);
            resolved.map_err(|error| GuestError::new(error.to_string()))
        };
        let targets: Vec<ReachTarget> = texts.iter().map(resolve).collect::<Result<_, _>>()?;
        let mut by_address: FxHashMap<u64, Vec<(usize, usize)>> = FxHashMap::default();
        for (number, target) in targets.iter().enumerate() {
            for (point, waypoint) in target.points.iter().enumerate() {
                let addresses: BTreeSet<u64> = waypoint.places.iter().map(|place| place.address()).collect();
                addresses
                    .into_iter()
                    .for_each(|address| by_address.entry(address).or_default().push((number, point)));
            }
        }
        Ok(DirectedSearch {
            records: targets.iter().map(|_| TargetRecord::default()).collect(),
            progress: ProgressTable::new(targets.len()),
            targets,
            by_address,
            distances: TargetDistances::default(),
            generation: None,
            prunes: true,
            pruned: Vec::new(),
            dropped: 0,
        })
    }

    /// The addresses before which blocks must end, so that control passes points only between blocks.
    pub(crate) fn addresses(&self) -> HashSet<u64> {
        self.by_address.keys().copied().collect()
    }

    /// Begins the search: paths are pruned only where no interrupt handler can lead them elsewhere.
    pub(crate) fn begin(&mut self, has_handlers: bool, map: Option<&crate::map::static_map::ProgramMap>) {
        self.prunes = !has_handlers;
        self.renew(map);
    }

    /// Renews the distances, if the graph has changed.
    pub(crate) fn renew(&mut self, map: Option<&crate::map::static_map::ProgramMap>) {
        let generation = map.map(crate::map::static_map::ProgramMap::generation);
        if generation != self.generation {
            self.generation = generation;
            self.distances = map.map(|map| TargetDistances::of(map, &self.targets)).unwrap_or_default();
        }
    }

    /// The targets whose next point a path passes at an address that it has reached from another one, in order.
    pub(crate) fn passing(&self, progress: TargetProgress, from: u64, to: u64) -> Vec<usize> {
        let Some(points) = self.by_address.get(&to) else { return Vec::new() };
        let passes = |(target, point): &&(usize, usize)| {
            self.progress.passed(progress, *target) == *point
                && self.targets[*target].points[*point].places.iter().any(|place| place.is_at(from, to))
        };
        points.iter().filter(passes).map(|(target, _)| *target).collect()
    }

    /// Whether a target has no answer yet.
    pub(crate) fn is_open(&self, target: usize) -> bool {
        self.records[target].confirmed.is_none() && self.records[target].refuted.is_none()
    }

    /// The targets without an answer.
    pub(crate) fn open(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.targets.len()).filter(|target| self.is_open(*target))
    }

    /// Whether every target has an answer.
    pub(crate) fn is_done(&self) -> bool {
        self.open().next().is_none()
    }

    /// Counts an arrival at the last point of a target.
    pub(crate) fn arrive(&mut self, target: usize) {
        self.records[target].arrivals += 1;
    }

    /// Records how an arrival stands to the condition, if no test shows it.
    pub(crate) fn note(&mut self, target: usize, arrival: Arrival) {
        let record = &mut self.records[target];
        match arrival {
            Arrival::Constant => record.constant += 1,
            Arrival::Unsatisfiable => record.unsat += 1,
            Arrival::Doubtful(why) => {
                record.doubts.insert(why);
            }
        }
    }

    /// A test reaches a target.
    pub(crate) fn confirm(&mut self, target: usize, paths: u64) {
        self.records[target].confirmed = Some(paths);
    }

    /// No input reaches a target.
    pub(crate) fn refute(&mut self, target: usize, evidence: String, paths: u64) {
        self.records[target].refuted = Some((evidence, paths));
    }

    /// The static analysis excludes a target.
    pub(crate) fn refute_statically(&mut self, target: usize, evidence: String, paths: u64) {
        self.refute(target, evidence, paths);
        self.records[target].is_refuted_statically = true;
    }

    /// Takes back what rests on the static analysis, because a path has shown that it does not hold.
    pub(crate) fn withdraw_static_answers(&mut self) {
        for record in self.records.iter_mut().filter(|record| record.is_refuted_statically) {
            (record.refuted, record.is_refuted_statically) = (None, false);
        }
    }

    /// The distance of an instruction from a target, for a path of this progress.
    fn distance(&self, address: u64, progress: TargetProgress, target: usize) -> TargetDistance {
        self.distances.from(address, (target, self.progress.passed(progress, target)))
    }

    /// The distance of a candidate from a target; none if it is not known, or none leads there.
    pub(crate) fn distance_of(&self, candidate: &Candidate, target: usize) -> Option<u32> {
        let place = candidate.place?;
        let passed = self.progress.passed(place.progress, target);
        let point = &self.targets[target].points.get(passed)?.places;
        if candidate.direction.is_some_and(|direction| takes_place(point, direction)) {
            return Some(0);
        }
        match self.distance(place.address, place.progress, target) {
            TargetDistance::Edges(edges) => Some(edges + 1),
            TargetDistance::Unreachable | TargetDistance::Unknown => None,
        }
    }

    /// Whether no open target can be reached from an instruction by a path of this progress, as far as the graph goes.
    pub(crate) fn is_hopeless(&self, address: u64, progress: TargetProgress) -> bool {
        self.prunes
            && self
                .open()
                .all(|target| matches!(self.distance(address, progress, target), TargetDistance::Unreachable))
    }

    /// Whether no open target can be reached after a pending branch, as far as the graph goes.
    pub(crate) fn is_pending_hopeless(&self, pending: &Pending) -> bool {
        // The graph may have no path back to a direction from after it.
        let takes_point = |direction: Direction| {
            self.open().any(|target| {
                let passed = self.progress.passed(pending.progress, target);
                takes_place(&self.targets[target].points[passed].places, direction)
            })
        };
        !pending.direction.is_some_and(takes_point)
            && self.is_hopeless(pending.continues_at(), pending.progress)
    }

    /// Notes how close a path is to each target where it is.
    pub(crate) fn come(&mut self, address: u64, progress: TargetProgress) {
        for target in 0..self.targets.len() {
            if !self.is_open(target) {
                continue;
            }
            let TargetDistance::Edges(edges) = self.distance(address, progress, target) else { continue };
            let left = self.targets[target].points.len() - self.progress.passed(progress, target);
            let closest = &mut self.records[target].closest;
            if closest.is_none_or(|(points, least, _)| (left, edges) < (points, least)) {
                *closest = Some((left, edges, address));
            }
        }
    }

    /// Prunes a path from which no target can be reached: keeps it apart from the frontier. Returns it if there is no room.
    pub(crate) fn prune(&mut self, pending: Pending) -> Option<Pending> {
        if self.pruned.len() >= MAX_PRUNED {
            return Some(pending);
        }
        self.pruned.push(pending);
        None
    }

    /// Whether there are pruned paths.
    pub(crate) fn has_pruned(&self) -> bool {
        !self.pruned.is_empty()
    }

    /// Whether paths were dropped because no target can be reached from where they were.
    pub(crate) fn has_dropped(&self) -> bool {
        self.dropped > 0
    }

    /// Takes out the pruned paths. If the graph is exact, those from which it has no path to a target are dropped;
    /// otherwise no path is pruned any more.
    pub(crate) fn take_pruned(&mut self, is_exact: bool) -> Vec<Pending> {
        self.prunes &= is_exact;
        let mut rest = std::mem::take(&mut self.pruned);
        let before = rest.len();
        // Without an exact graph, nothing is hopeless any more.
        rest.retain(|pending| !self.is_pending_hopeless(pending));
        self.dropped += (before - rest.len()) as u64;
        rest
    }

    /// Whether the graph has no path from the entry over the points of a target.
    pub(crate) fn is_excluded_by_graph(&self, entry: u64, target: usize) -> bool {
        self.distance(entry, TargetProgress::default(), target) == TargetDistance::Unreachable
    }

    /// Why a target may be reachable although every path was explored: an arrival whose condition could not be judged.
    pub(crate) fn doubt(&self, target: usize) -> Option<&str> {
        self.records[target].doubts.first().map(String::as_str)
    }

    /// The evidence against a target when every path was explored.
    pub(crate) fn evidence(&self, target: usize) -> String {
        let TargetRecord { arrivals, constant, unsat, .. } = &self.records[target];
        let mut shown = Vec::new();
        match unsat {
            0 => {}
            1 => shown.push("1 query for the condition was unsatisfiable".to_owned()),
            count => shown.push(format!("{count} queries for the condition were unsatisfiable")),
        }
        match constant {
            0 => {}
            1 => shown.push("once it was false for every input".to_owned()),
            count => shown.push(format!("{count} times it was false for every input")),
        }
        let mut text = match arrivals {
            0 => "every path was explored, and none reaches the target".to_owned(),
            1 => {
                format!("every path was explored: control reaches the target once, and {}", shown.join("; "))
            }
            count => format!(
                "every path was explored: control reaches the target {count} times, and {}",
                shown.join("; ")
            ),
        };
        if self.dropped > 0 {
            let dropped = self.dropped;
            let paths = if dropped == 1 { "path was" } else { "paths were" };
            text.push_str(&format!(
                "; {dropped} {paths} not followed, because in the control-flow graph, whose indirect exits and returns are all \
                 resolved, none leads to a target from there"
            ));
        }
        text
    }

    /// The answers, with the name of the test of each confirmed target, and the reason for those that are open.
    pub(crate) fn answers(
        &self,
        tests: &BTreeMap<usize, String>,
        why_open: impl Fn(usize) -> String,
        paths: u64,
    ) -> Vec<TargetAnswer> {
        let answer = |(number, record): (usize, &TargetRecord)| {
            let target = &self.targets[number];
            let (verdict, paths) = match (tests.get(&number), record.confirmed, &record.refuted) {
                (Some(test), Some(paths), _) => (TargetVerdict::Confirmed { test: test.clone() }, paths),
                (_, _, Some((evidence, paths))) => {
                    (TargetVerdict::Refuted { evidence: evidence.clone() }, *paths)
                }
                _ => (TargetVerdict::Open { reason: why_open(number) }, paths),
            };
            let closest = record.closest.filter(|_| matches!(verdict, TargetVerdict::Open { .. }));
            TargetAnswer {
                target: target.text.text.clone(),
                verdict,
                paths,
                arrivals: record.arrivals,
                points: target.points.len() as u64,
                closest: closest.map(|(left, edges, address)| ClosestApproach {
                    passed: (target.points.len() - left) as u64,
                    address: Address(address),
                    edges: u64::from(edges),
                }),
            }
        };
        self.records.iter().enumerate().map(answer).collect()
    }
}

impl TermHolder for DirectedSearch {
    fn roots(&self, roots: &mut Roots) {
        self.pruned.iter().for_each(|pending| pending.roots(roots));
    }
}
