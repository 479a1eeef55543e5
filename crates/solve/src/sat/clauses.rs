//! CNF in DIMACS format, and the sink to which clauses are written.

use std::fmt;

/// A receiver of variables and clauses: a solver, or a CNF.
pub trait ClauseSink {
    /// A new variable, numbered consecutively from one.
    fn variable(&mut self) -> i32;

    /// Adds a clause. A negative literal is a complement.
    fn clause(&mut self, literals: &[i32]);
}

/// A formula in conjunctive normal form.
///
/// ```
/// use everypath_solve::sat::{ClauseSink, Cnf};
/// let mut cnf = Cnf::new();
/// let (a, b) = (cnf.variable(), cnf.variable());
/// cnf.clause(&[a, -b]);
/// assert_eq!(cnf.to_string(), "p cnf 2 1\n1 -2 0\n");
/// assert_eq!(cnf.to_string().parse(), Ok(cnf));
/// ```
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Cnf {
    variables: i32,
    /// The literals of all clauses, concatenated.
    literals: Vec<i32>,
    /// The end of each clause in `literals`.
    ends: Vec<usize>,
}

impl Cnf {
    /// An empty formula.
    #[must_use]
    pub fn new() -> Cnf {
        Cnf::default()
    }

    /// The number of variables.
    #[must_use]
    pub fn variables(&self) -> i32 {
        self.variables
    }

    /// The number of clauses.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there is no clause.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The clauses in the order in which they were added.
    pub fn clauses(&self) -> impl Iterator<Item = &[i32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.literals[start..end])
    }
}

impl ClauseSink for Cnf {
    fn variable(&mut self) -> i32 {
        self.variables = self.variables.checked_add(1).expect("fewer than 2^31 variables");
        self.variables
    }

    fn clause(&mut self, literals: &[i32]) {
        self.literals.extend_from_slice(literals);
        self.ends.push(self.literals.len());
    }
}

/// Prints DIMACS.
impl fmt::Display for Cnf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "p cnf {} {}", self.variables, self.len())?;
        for clause in self.clauses() {
            for literal in clause {
                write!(formatter, "{literal} ")?;
            }
            formatter.write_str("0\n")?;
        }
        Ok(())
    }
}

/// The reason why a text is not DIMACS CNF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DimacsError {
    /// The line, counted from one.
    pub line: usize,
    /// The error.
    pub why: &'static str,
}

impl fmt::Display for DimacsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for DimacsError {}

/// Parses DIMACS: comments, a header, and one clause per line.
impl std::str::FromStr for Cnf {
    type Err = DimacsError;

    fn from_str(text: &str) -> Result<Cnf, DimacsError> {
        let mut cnf = Cnf::new();
        let mut announced = None;
        for (index, line) in text.lines().enumerate() {
            let fail = |why| DimacsError { line: index + 1, why };
            let mut words = line.split_ascii_whitespace().peekable();
            match words.peek() {
                None | Some(&"c") => continue,
                Some(&"p") => {
                    let header: Vec<&str> = words.collect();
                    let [_, "cnf", variables, clauses] = header[..] else {
                        return Err(fail("a header is `p cnf VARIABLES CLAUSES`"));
                    };
                    if announced.is_some() {
                        return Err(fail("there is a second header"));
                    }
                    cnf.variables = variables
                        .parse()
                        .ok()
                        .filter(|&count| count >= 0)
                        .ok_or(fail("not a number of variables"))?;
                    announced = Some(clauses.parse::<usize>().map_err(|_| fail("not a number of clauses"))?);
                }
                Some(_) if announced.is_none() => return Err(fail("a clause stands before the header")),
                Some(_) => {
                    let numbers: Option<Vec<i32>> = words.map(|word| word.parse().ok()).collect();
                    let numbers = numbers.ok_or(fail("not a literal"))?;
                    let Some((0, literals)) = numbers.split_last() else {
                        return Err(fail("a clause ends with 0"));
                    };
                    let valid = |&literal: &i32| {
                        literal != 0
                            && literal.checked_abs().is_some_and(|variable| variable <= cnf.variables)
                    };
                    if !literals.iter().all(valid) {
                        return Err(fail("a literal that the header does not allow"));
                    }
                    cnf.clause(literals);
                }
            }
        }
        if announced != Some(cnf.len()) {
            return Err(DimacsError {
                line: text.lines().count(),
                why: "the header announces another number of clauses",
            });
        }
        Ok(cnf)
    }
}
