//! Known differences, with explanations.

use super::compare::Difference;
use serde::Deserialize;

/// One kind of difference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// The forms that show it; `*` matches anything, `?` any character.
    pub(super) forms: Vec<String>,
    /// The instructions of these forms that must not show it, by their text.
    #[serde(default)]
    pub(super) except: Vec<String>,
    /// The differing parts: our names of registers, `memory`, `NaN`, `negated NaN`, `signal 8`, or only the `low bits` or
    /// the `top byte` of the program counter; also as patterns.
    pub(super) differs: Vec<String>,
    /// Whether it applies only if the executor left the register unchanged.
    #[serde(default)]
    pub(super) only_unchanged: bool,
    /// It applies only if our value is one of these; any value if empty.
    #[serde(default)]
    pub(super) ours: Vec<u64>,
    /// It applies only if the two values differ by at most this much.
    pub(super) within: Option<u64>,
    /// The cause.
    pub(super) fault: Blame,
    /// The explanation.
    pub(super) reason: String,
}

/// The possible causes of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Blame {
    /// None: the processor's manual leaves it undefined.
    Undefined,
    /// The specification, which needs an override.
    Specification,
    /// The machine does not model it yet.
    Machine,
    /// The executor.
    Executor,
}

impl Known {
    fn fits(&self, (form, text): (&str, &str), difference: &Difference) -> bool {
        self.differs.iter().any(|known| matches(known, &difference.what))
            && (difference.unchanged || !self.only_unchanged)
            && (self.ours.is_empty()
                || self.ours.iter().any(|value| difference.ours == Some(u128::from(*value))))
            && self.within.is_none_or(|most| difference.apart.is_some_and(|apart| apart <= u128::from(most)))
            && self.forms.iter().any(|pattern| matches(pattern, form))
            && !self.except.iter().any(|pattern| matches(pattern, text))
    }
}

/// The entries that explain all differences of an instruction, given by its form and its text, or `None` if one is unexplained.
pub(super) fn explain(
    list: &[Known],
    instruction: (&str, &str),
    differences: &[Difference],
) -> Option<Vec<usize>> {
    let find = |difference: &Difference| list.iter().position(|known| known.fits(instruction, difference));
    differences.iter().map(find).collect()
}

/// Whether a text matches a pattern, in which `*` matches anything and `?` any character.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let mut pattern_rest = pattern.chars();
    let mut text_rest = text.chars();
    match (pattern_rest.next(), text_rest.next()) {
        (None, None) => true,
        (Some('*'), _) => {
            matches(pattern_rest.as_str(), text) || (!text.is_empty() && matches(pattern, text_rest.as_str()))
        }
        (Some(wanted), Some(there)) if wanted == '?' || wanted == there => {
            matches(pattern_rest.as_str(), text_rest.as_str())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undefined(form: &str, differs: &str) -> Known {
        Known {
            forms: vec![form.to_owned()],
            except: Vec::new(),
            differs: vec![differs.to_owned()],
            only_unchanged: false,
            ours: Vec::new(),
            within: None,
            fault: Blame::Undefined,
            reason: "undefined".to_owned(),
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        let fits = ["", "*", "AND *", "AND r8,*8", "*r8"].map(|pattern| matches(pattern, "AND r8,r8"));
        assert_eq!(fits, [false, true, true, true, true]);
        assert!(!matches("AND *", "ANDN r8"));
        assert!(!matches("*r4", "AND r8,r8"));
        assert!(matches("A?D *", "AND r8") && !matches("A?D", "AD"));
    }

    #[test]
    fn all_that_differs_is_explained_or_nothing_is() {
        let list = [Known { only_unchanged: true, ..undefined("AND *", "AF") }];
        let differ = |names: &[&str], unchanged: bool| -> Vec<Difference> {
            let difference = |name: &&str| Difference {
                what: (*name).to_owned(),
                detail: String::new(),
                unchanged,
                ours: None,
                apart: None,
            };
            names.iter().map(difference).collect()
        };
        assert_eq!(explain(&list, ("AND r8,r8", "AND AL,BL"), &differ(&["AF"], true)), Some(vec![0]));
        assert_eq!(explain(&list, ("AND r8,r8", "AND AL,BL"), &differ(&["AF"], false)), None);
        assert_eq!(explain(&list, ("AND r8,r8", "AND AL,BL"), &differ(&["AF", "CF"], true)), None);
        assert_eq!(explain(&list, ("SUB r8,r8", "SUB AL,BL"), &differ(&["AF"], true)), None);
        let list = [Known { except: vec!["*,BL".to_owned()], ..undefined("AND *", "AF") }];
        assert_eq!(explain(&list, ("AND r8,r8", "AND AL,BL"), &differ(&["AF"], true)), None);
    }

    #[test]
    fn what_is_explained_within_a_distance_is_not_beyond_it() {
        let list = [Known { within: Some(4), ..undefined("fsubs *", "f*") }];
        let explained = [Some(4), Some(5), None].map(|apart| {
            let what = "f0".to_owned();
            let difference =
                Difference { what, detail: String::new(), unchanged: false, ours: Some(0), apart };
            explain(&list, ("fsubs r8", "fsubs r1"), &[difference]).is_some()
        });
        assert_eq!(explained, [true, false, false]);
    }
}
