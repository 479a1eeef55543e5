//! Generation of unsatisfiability certificates.

use everypath_term::{Evaluation, Input, Model, Term, Terms};

use super::translation::Translation;
use super::{Certificate, text};
use crate::backend::bitblast::{BitBlastSession, Lemma, violated};
use crate::limits::Budget;
use crate::proof::{Produced, Refusal, check, produce};
use crate::sat::{SatOutcome, SatSolver};
use crate::{Answer, QueryLimits, UnknownReason};

/// The reason why there is no certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Uncertified {
    /// The query is satisfiable.
    Model(Model),
    /// A limit was reached, or an operator is not supported.
    Unknown(UnknownReason),
    /// The query cannot be printed, or not be parsed back.
    Query(String),
    /// The checker rejects the solver's proof.
    Proof(Refusal),
}

impl From<UnknownReason> for Uncertified {
    fn from(reason: UnknownReason) -> Uncertified {
        Uncertified::Unknown(reason)
    }
}

/// Certifies that no input satisfies all conditions.
///
/// It starts again from the text of the query: the session that answered first has no part in it.
///
/// # Errors
/// If the query is satisfiable, or there is no proof within the limits.
#[allow(
    clippy::needless_pass_by_value,
    reason = "limits are cheap to clone, and callers build them in place"
)]
pub fn certify(terms: &Terms, conditions: &[Term], limits: QueryLimits) -> Result<Certificate, Uncertified> {
    let query = text::write_query(terms, conditions).map_err(Uncertified::Query)?;
    // Prove exactly what the file contains.
    let (terms, conditions) = text::read_query(&query).map_err(Uncertified::Query)?;
    let core = match BitBlastSession::new().check(&terms, &conditions, limits.clone()) {
        Answer::Sat(model) => return Err(Uncertified::Model(model)),
        Answer::Unknown(reason) => return Err(reason.into()),
        Answer::Unsat(core) => core,
    };
    let places = conditions.iter().enumerate().filter(|(_, condition)| core.contains(condition));
    let (core, conditions): (Vec<usize>, Vec<Term>) =
        places.map(|(place, &condition)| (place, condition)).unzip();
    let budget = Budget::new(&limits);
    let mut translation = Translation::new(&terms, &conditions, &[], &budget)?;
    let mut laws: Vec<Lemma> = Vec::new();
    let proof = loop {
        match produce(&translation.cnf, limits.clone()) {
            Produced::Proof(proof) => break proof,
            Produced::Limit(SatOutcome::Time) => return Err(UnknownReason::Time.into()),
            Produced::Limit(_) => return Err(UnknownReason::Conflicts.into()),
            Produced::Assignment(values) => {
                let new = missing_laws(&terms, &conditions, &translation, &laws, &values)?;
                for &law in &new {
                    translation.law(&terms, law, &budget)?;
                }
                laws.extend(new);
            }
        }
    };
    check(&translation.cnf, &proof).map_err(Uncertified::Proof)?;
    let inputs = translation.inputs(&terms, &conditions);
    let solver = SatSolver::name();
    Ok(Certificate { query, core, solver, opinions: Vec::new(), laws, inputs, cnf: translation.cnf, proof })
}

/// The array lemmas that an assignment violates; if the assignment is a model after all, that model as the error.
fn missing_laws(
    terms: &Terms,
    conditions: &[Term],
    translation: &Translation,
    laws: &[Lemma],
    values: &[bool],
) -> Result<Vec<Lemma>, Uncertified> {
    let value = |variable: i32| {
        (variable != 0).then(|| values[variable.unsigned_abs() as usize - 1] == (variable > 0))
    };
    let byte = |bits: &[i32; 8]| {
        bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(value(bit) == Some(true)))
    };
    let model: Model = translation
        .inputs(terms, conditions)
        .iter()
        .map(|(input, bits)| (Input(*input), byte(bits)))
        .collect();
    let mut evaluation = Evaluation::new(model.clone());
    if conditions.iter().all(|&condition| evaluation.holds(terms, condition)) {
        return Err(Uncertified::Model(model));
    }
    let mut new =
        violated(terms, translation.translator(), &mut evaluation, |bit| value(translation.variable(bit)));
    new.retain(|law| !laws.contains(law));
    assert!(!new.is_empty(), "an assignment that follows all laws of arrays makes the conditions true");
    Ok(new)
}
