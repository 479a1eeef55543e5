//! Pushdown distances to the points of targets: the shortest path with matched calls and returns over the recovered
//! control-flow graph, by the addresses of instructions.

use std::collections::BTreeMap;
use std::rc::Rc;

use everypath_environment::{ReachTarget, WaypointPlace};
use everypath_record::Direction;
use rustc_hash::FxHashMap;

use crate::map::static_map::ProgramMap;

/// How far the instructions of the graph are from a point, `u32::MAX` where no path leads there; none if the graph does not
/// have the point, so that nothing is known.
type PointDistances = Option<Rc<FxHashMap<u64, u32>>>;

/// The distances to the points of every target.
#[derive(Default)]
pub(crate) struct TargetDistances {
    /// For each target and each of its points.
    each: Vec<Vec<PointDistances>>,
    /// For each target and each of its points, the number of edges from there over the further points to the last one; none if
    /// there is no such path.
    behind: Vec<Vec<Option<u32>>>,
    /// How far instructions are from an indirect exit with unknown targets.
    unresolved: FxHashMap<u64, u32>,
}

/// How far an instruction is from a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetDistance {
    /// So many edges.
    Edges(u32),
    /// No path of the graph leads there.
    Unreachable,
    /// The graph does not say.
    Unknown,
}

impl TargetDistances {
    /// The distances in a graph.
    pub(crate) fn of(map: &ProgramMap, targets: &[ReachTarget]) -> TargetDistances {
        let mut known: BTreeMap<Vec<WaypointPlace>, PointDistances> = BTreeMap::new();
        let unresolved = map.distances_to_unresolved();
        let mut found = TargetDistances { unresolved, ..TargetDistances::default() };
        for target in targets {
            let points: Vec<PointDistances> = target
                .points
                .iter()
                .map(|point| {
                    let distances = || map.distances_to_places(&point.places).map(Rc::new);
                    known.entry(point.places.clone()).or_insert_with(distances).clone()
                })
                .collect();
            let mut behind = vec![Some(0); points.len()];
            for number in (1..points.len()).rev() {
                let places = target.points[number - 1].places.iter();
                let step = match &points[number] {
                    Some(next) => {
                        let steps = places.filter_map(|place| next.get(&place.address())).min().copied();
                        steps.filter(|step| *step != u32::MAX)
                    }
                    None => Some(0),
                };
                behind[number - 1] = step.zip(behind[number]).map(|(step, rest)| step + rest);
            }
            found.each.push(points);
            found.behind.push(behind);
        }
        found
    }

    /// The distance of an instruction from a target of which so many points are passed.
    pub(crate) fn from(&self, address: u64, (target, passed): (usize, usize)) -> TargetDistance {
        let Some(Some(Some(point))) = self.each.get(target).map(|points| points.get(passed).cloned()) else {
            return TargetDistance::Unknown;
        };
        let is_near = |distance: &&u32| **distance != u32::MAX;
        let (own, behind) = (point.get(&address), self.behind[target][passed]);
        if let (Some(distance), Some(behind)) = (own.filter(is_near), behind) {
            return TargetDistance::Edges(distance + behind);
        }
        // What the graph does not have may lead there.
        let ends_here = self.unresolved.get(&address).filter(is_near).is_some();
        if own.is_none() || ends_here { TargetDistance::Unknown } else { TargetDistance::Unreachable }
    }
}

/// Whether a branch direction is one of the places of a point.
pub(crate) fn takes_place(places: &[WaypointPlace], direction: Direction) -> bool {
    places.iter().any(|place| place.is_at(direction.branch.0, direction.target.0))
}
