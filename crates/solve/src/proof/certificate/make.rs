//! Making certificates.

use everypath_term::{Evaluation, Input, Model, Term, Terms};

use super::translation::Translation;
use super::{Certificate, text};
use crate::backend::bitblast::{Lemma, Session, violated};
use crate::limits::Budget;
use crate::proof::{Produced, Refusal, check, produce};
use crate::sat::{Outcome, Solver};
use crate::{Answer, Limits, Reason};

/// Why there is no certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Uncertified {
    /// There is a model.
    Model(Model),
    /// A limit was reached, or an operator is not translated.
    Unknown(Reason),
    /// The query cannot be written down, or not be read back.
    Query(String),
    /// The solver's proof is wrong.
    Proof(Refusal),
}

impl From<Reason> for Uncertified {
    fn from(reason: Reason) -> Uncertified {
        Uncertified::Unknown(reason)
    }
}

/// Shows that no input makes all conditions true, in a form that can be checked again.
///
/// All is done anew, from the text of the query on: whatever session answered first has no part in it.
///
/// # Errors
/// If there is a model, or no proof within the limits.
#[allow(
    clippy::needless_pass_by_value,
    reason = "limits are cheap to clone, and callers build them in place"
)]
pub fn certify(terms: &Terms, conditions: &[Term], limits: Limits) -> Result<Certificate, Uncertified> {
    let query = text::write_query(terms, conditions).map_err(Uncertified::Query)?;
    // What is proved is what stands in the file.
    let (terms, conditions) = text::read_query(&query).map_err(Uncertified::Query)?;
    let core = match Session::new().check(&terms, &conditions, limits.clone()) {
        Answer::Model(model) => return Err(Uncertified::Model(model)),
        Answer::Unknown(reason) => return Err(reason.into()),
        Answer::None(core) => core,
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
            Produced::Limit(Outcome::Time) => return Err(Reason::Time.into()),
            Produced::Limit(_) => return Err(Reason::Conflicts.into()),
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
    let solver = Solver::name();
    Ok(Certificate { query, core, solver, opinions: Vec::new(), laws, inputs, cnf: translation.cnf, proof })
}

/// The laws of arrays that an assignment violates; if it is a model after all, that model.
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
