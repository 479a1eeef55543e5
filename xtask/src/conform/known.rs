//! Differences that are explained.

use super::compare::Difference;
use serde::Deserialize;

/// One kind of difference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// The forms it is seen in; `*` stands for anything, `?` for any character.
    pub(super) forms: Vec<String>,
    /// What differs: our names of registers, `memory`, `NaN`, `signal 8`, or of the program counter only the `low bits` or
    /// the `top byte`; patterns too.
    pub(super) differs: Vec<String>,
    /// Whether it is explained only where the executor left the register as it was.
    #[serde(default)]
    pub(super) only_unchanged: bool,
    /// Whether it is explained only where our value is one of these.
    #[serde(default)]
    pub(super) ours: Vec<u64>,
    /// Whether it is explained only where the two values lie at most this far apart.
    pub(super) within: Option<u64>,
    /// Who is wrong.
    pub(super) fault: Blame,
    /// Why.
    pub(super) reason: String,
}

/// Who is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Blame {
    /// Nobody: the processor's manual leaves it open.
    Undefined,
    /// The specification: an override is to be written.
    Specification,
    /// The machine does not model it yet.
    Machine,
    /// The executor.
    Executor,
}

impl Known {
    fn fits(&self, form: &str, difference: &Difference) -> bool {
        self.differs.iter().any(|known| matches(known, &difference.what))
            && (difference.unchanged || !self.only_unchanged)
            && (self.ours.is_empty()
                || self.ours.iter().any(|value| difference.ours == Some(u128::from(*value))))
            && self.within.is_none_or(|most| difference.apart.is_some_and(|apart| apart <= u128::from(most)))
            && self.forms.iter().any(|pattern| matches(pattern, form))
    }
}

/// The entries that explain all that differs, or `None` if something is not explained.
pub(super) fn explain(list: &[Known], form: &str, differences: &[Difference]) -> Option<Vec<usize>> {
    let find = |difference: &Difference| list.iter().position(|known| known.fits(form, difference));
    differences.iter().map(find).collect()
}

/// Whether a text is what a pattern says, in which `*` stands for anything and `?` for any character.
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
        assert_eq!(explain(&list, "AND r8,r8", &differ(&["AF"], true)), Some(vec![0]));
        assert_eq!(explain(&list, "AND r8,r8", &differ(&["AF"], false)), None);
        assert_eq!(explain(&list, "AND r8,r8", &differ(&["AF", "CF"], true)), None);
        assert_eq!(explain(&list, "SUB r8,r8", &differ(&["AF"], true)), None);
    }

    #[test]
    fn what_is_explained_within_a_distance_is_not_beyond_it() {
        let list = [Known { within: Some(4), ..undefined("fsubs *", "f*") }];
        let explained = [Some(4), Some(5), None].map(|apart| {
            let what = "f0".to_owned();
            let difference =
                Difference { what, detail: String::new(), unchanged: false, ours: Some(0), apart };
            explain(&list, "fsubs r8", &[difference]).is_some()
        });
        assert_eq!(explained, [true, false, false]);
    }
}
