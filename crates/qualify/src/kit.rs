//! The kit: requirements with their cases, programs, vectors and known problems, embedded in the command.

use crate::environment::HostEnvironment;
use crate::procedure;
use crate::program::KitProgram;
use crate::qualification::{CaseResult, Qualification};
use crate::requirement::{KnownProblem, Requirement};
use crate::workplace::Workplace;
use serde::Deserialize;
use std::collections::BTreeSet;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The qualification kit.
#[derive(Clone, Debug)]
pub struct Kit {
    /// The requirements, with their cases.
    pub requirements: Vec<Requirement>,
    /// The programs that cases are carried out on.
    pub programs: Vec<KitProgram>,
    /// The instruction vectors.
    pub vectors: Vec<VectorFile>,
    /// The known problems of this version.
    pub known_problems: Vec<KnownProblem>,
}

/// A file of instruction vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorFile {
    /// The architecture.
    pub architecture: String,
    /// The name of the file, without its extension.
    pub name: String,
    /// Its contents.
    pub text: String,
}

/// Why the kit cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KitError {
    /// A file of the kit is malformed, which its checks prevent.
    #[error("{file} of the qualification kit: {problem}")]
    Data {
        /// The file.
        file: String,
        /// The problem.
        problem: String,
    },
    /// There is no such architecture.
    #[error("the qualification kit has no architecture `{name}`; there are: {}", known.join(", "))]
    Architecture {
        /// The requested name.
        name: String,
        /// The available names.
        known: Vec<String>,
    },
    /// A file or folder cannot be used.
    #[error("{file}: {problem}")]
    File {
        /// The file.
        file: String,
        /// The problem, and what to do.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequirementFile {
    requirement: Vec<Requirement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemFile {
    problem: Vec<KnownProblem>,
}

impl Kit {
    /// The kit of this version, for all built-in architectures.
    ///
    /// # Errors
    /// If a file of the kit is malformed.
    pub fn built_in() -> Result<Kit, KitError> {
        let data = |file: &str, problem: String| KitError::Data { file: file.to_owned(), problem };
        let requirements: RequirementFile = toml::from_str(include_str!("../data/requirements.toml"))
            .map_err(|error| data("requirements.toml", error.to_string()))?;
        let problems: ProblemFile = toml::from_str(include_str!("../data/known-problems.toml"))
            .map_err(|error| data("known-problems.toml", error.to_string()))?;
        let program = |(architecture, name, text): &(&str, &str, &str)| {
            KitProgram::parse(architecture, name, text)
                .map_err(|problem| data(&format!("programs/{architecture}/{name}.toml"), problem))
        };
        let vectors = VECTORS.iter().map(|(architecture, name, text)| VectorFile {
            architecture: (*architecture).to_owned(),
            name: (*name).to_owned(),
            text: (*text).to_owned(),
        });
        Ok(Kit {
            requirements: requirements.requirement,
            programs: PROGRAMS.iter().map(program).collect::<Result<_, _>>()?,
            vectors: vectors.collect(),
            known_problems: problems.problem,
        })
    }

    /// The architectures that it has vectors or programs for.
    #[must_use]
    pub fn architectures(&self) -> Vec<String> {
        let vectors = self.vectors.iter().map(|file| file.architecture.clone());
        let programs = self.programs.iter().map(|program| program.architecture.clone());
        vectors.chain(programs).collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// The kit for some architectures only.
    ///
    /// # Errors
    /// If it has nothing for one of them.
    pub fn only(mut self, architectures: &[String]) -> Result<Kit, KitError> {
        let known = self.architectures();
        if let Some(name) = architectures.iter().find(|name| !known.contains(name)) {
            return Err(KitError::Architecture { name: name.clone(), known });
        }
        self.vectors.retain(|file| architectures.contains(&file.architecture));
        self.programs.retain(|program| architectures.contains(&program.architecture));
        Ok(self)
    }

    /// Carries out every case. The date is what the user gives; it is only printed.
    #[must_use]
    pub fn run(&self, workplace: &Workplace, date: &str) -> Qualification {
        let cases = self.requirements.iter().flat_map(|requirement| {
            requirement.cases.iter().map(move |case| CaseResult {
                requirement: requirement.identifier.clone(),
                case: case.identifier.clone(),
                checks: procedure::carry_out(self, case, workplace),
            })
        });
        let cases = cases.collect();
        Qualification {
            environment: HostEnvironment::of(workplace.command()),
            date: date.to_owned(),
            architectures: self.architectures(),
            without_programs: self.without_programs(),
            requirements: self.requirements.clone(),
            cases,
            known_problems: self.known_problems.clone(),
        }
    }

    /// The architectures that have vectors and no programs.
    fn without_programs(&self) -> Vec<String> {
        let has = |name: &String| self.programs.iter().any(|program| program.architecture == *name);
        self.architectures().into_iter().filter(|name| !has(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_unique_and_every_requirement_has_a_case() {
        let kit = Kit::built_in().unwrap();
        let mut seen = BTreeSet::new();
        for requirement in &kit.requirements {
            assert!(seen.insert(requirement.identifier.clone()), "{}", requirement.identifier);
            assert!(!requirement.cases.is_empty(), "{}", requirement.identifier);
            let number = requirement.identifier.replace("TOR-", "TC-");
            for case in &requirement.cases {
                assert!(case.identifier.starts_with(&format!("{number}.")), "{}", case.identifier);
                assert!(seen.insert(case.identifier.clone()), "{}", case.identifier);
            }
        }
        for problem in &kit.known_problems {
            assert!(seen.insert(problem.identifier.clone()), "{}", problem.identifier);
        }
    }

    #[test]
    fn each_architecture_with_programs_has_all_that_cases_name_and_no_others() {
        let kit = Kit::built_in().unwrap();
        let cases = kit.requirements.iter().flat_map(|requirement| &requirement.cases);
        let named: BTreeSet<&str> = cases.flat_map(|case| &case.programs).map(String::as_str).collect();
        let architectures: BTreeSet<&str> =
            kit.programs.iter().map(|program| program.architecture.as_str()).collect();
        assert!(architectures.len() >= 3);
        for architecture in architectures {
            let own = kit.programs.iter().filter(|program| program.architecture == architecture);
            assert_eq!(own.map(|program| program.name.as_str()).collect::<BTreeSet<_>>(), named);
        }
        // Every input is run: two bytes are as much as that allows.
        assert!(kit.programs.iter().all(|program| (1..=2).contains(&program.inputs.len())));
    }

    #[test]
    fn every_built_in_architecture_has_vectors() {
        let library = everypath::Library::built_in();
        let built_in: Vec<String> = library.list().map(|(name, ..)| name.to_owned()).collect();
        assert_eq!(Kit::built_in().unwrap().architectures(), built_in);
    }
}
