//! Functions that call each other in a circle.

use super::order::callees;
use crate::graph::{FunctionId, Graph};

/// The functions, those that call each other together, each after all others that it calls. Inside a circle, too, what is
/// called comes first as far as that is possible.
pub(super) fn circles(graph: &Graph) -> Vec<Vec<FunctionId>> {
    let components = components(&callees(graph)).into_iter();
    components
        .map(|component| component.into_iter().map(|number| FunctionId(number as u32)).collect())
        .collect()
}

/// The strongly connected components, by Tarjan, each after those that it leads to; the members of one in the order in which a
/// search leaves them.
fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NOT_MET: usize = usize::MAX;
    let count = successors.len();
    let mut number = vec![NOT_MET; count];
    let mut low = vec![NOT_MET; count];
    let mut is_done = vec![false; count];
    let (mut met, mut left) = (0, Vec::new());
    let mut found = Vec::new();
    for root in 0..count {
        if number[root] != NOT_MET {
            continue;
        }
        let mut stack = vec![(root, 0)];
        (number[root], low[root]) = (met, met);
        met += 1;
        while let Some((at, edge)) = stack.last_mut() {
            let at = *at;
            if let Some(to) = successors[at].get(*edge).copied() {
                *edge += 1;
                if number[to] == NOT_MET {
                    (number[to], low[to]) = (met, met);
                    met += 1;
                    stack.push((to, 0));
                } else if !is_done[to] {
                    low[at] = low[at].min(number[to]);
                }
                continue;
            }
            stack.pop();
            left.push(at);
            if let Some((above, _)) = stack.last() {
                low[*above] = low[*above].min(low[at]);
            }
            if low[at] == number[at] {
                // What was met after this one, and is in no component yet, is in this one's.
                let first = left.iter().rposition(|other| number[*other] < number[at]).map_or(0, |at| at + 1);
                let component = left.split_off(first);
                for member in &component {
                    is_done[*member] = true;
                }
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod checks {
    use super::components;
    use everypath_testkit::random::Random;

    #[test]
    fn members_reach_each_other_and_what_is_called_comes_first() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let count = 1 + random.number_below(10);
            let lists: Vec<Vec<usize>> = (0..count)
                .map(|_| (0..random.number_below(3)).map(|_| random.number_below(count) as usize).collect())
                .collect();
            let reached = |from: usize| {
                let mut seen = vec![false; lists.len()];
                let mut stack = vec![from];
                while let Some(at) = stack.pop() {
                    if !std::mem::replace(&mut seen[at], true) {
                        stack.extend(&lists[at]);
                    }
                }
                seen
            };
            let reached: Vec<Vec<bool>> = (0..lists.len()).map(reached).collect();
            let found = components(&lists);
            assert_eq!(found.iter().map(Vec::len).sum::<usize>(), lists.len(), "{lists:?}: {found:?}");
            let of = |at: usize| found.iter().position(|component| component.contains(&at));
            for a in 0..lists.len() {
                for b in 0..lists.len() {
                    assert_eq!(of(a) == of(b), reached[a][b] && reached[b][a], "{lists:?}: {found:?}");
                    assert!(!reached[a][b] || of(b) <= of(a), "{lists:?}: {found:?}");
                }
            }
        }
    }
}
