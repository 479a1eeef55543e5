//! Binary LRAT: numbers as little-endian base-128 varints with the sign in the lowest bit.

use super::step::NOT_PLAIN;
use super::{Proof, ProofError, ProofStep};

impl Proof {
    /// The proof in binary LRAT.
    #[must_use]
    pub fn to_binary(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for step in &self.steps {
            match step {
                ProofStep::Add { id, literals, hints } => {
                    bytes.push(b'a');
                    write_number(&mut bytes, *id << 1);
                    for &literal in literals {
                        write_number(
                            &mut bytes,
                            u64::from(literal.unsigned_abs()) << 1 | u64::from(literal < 0),
                        );
                    }
                    bytes.push(0);
                    for &hint in hints {
                        write_number(&mut bytes, hint << 1);
                    }
                }
                ProofStep::Delete { ids } => {
                    bytes.push(b'd');
                    for &id in ids {
                        write_number(&mut bytes, id << 1);
                    }
                }
            }
            bytes.push(0);
        }
        bytes
    }

    /// Parses binary LRAT.
    ///
    /// # Errors
    /// If the bytes are not binary LRAT, or a hint is not a positive number.
    pub fn from_binary(bytes: &[u8]) -> Result<Proof, ProofError> {
        let mut reader = Reader { bytes, at: 0 };
        let mut steps = Vec::new();
        while let Some(&kind) = bytes.get(reader.at) {
            reader.at += 1;
            let step = match kind {
                b'a' => reader.addition(),
                b'd' => reader.clauses().map(|ids| ProofStep::Delete { ids }),
                _ => Err("a step begins with `a` or `d`"),
            };
            steps.push(step.map_err(|why| ProofError { at: reader.at, why })?);
        }
        Ok(Proof { steps })
    }
}

fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn addition(&mut self) -> Result<ProofStep, &'static str> {
        let id = positive(self.number()?)?;
        let mut literals = Vec::new();
        loop {
            match self.number()? {
                0 => break,
                1 => return Err("not a literal"),
                number => {
                    let variable = i32::try_from(number >> 1).map_err(|_| "not a literal")?;
                    literals.push(if number & 1 == 1 { -variable } else { variable });
                }
            }
        }
        Ok(ProofStep::Add { id, literals, hints: self.clauses()? })
    }

    /// Clause numbers up to a terminating zero.
    fn clauses(&mut self) -> Result<Vec<u64>, &'static str> {
        let mut ids = Vec::new();
        loop {
            match self.number()? {
                0 => return Ok(ids),
                number => ids.push(positive(number)?),
            }
        }
    }

    fn number(&mut self) -> Result<u64, &'static str> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let &byte = self.bytes.get(self.at).ok_or("a step is cut off")?;
            self.at += 1;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                break;
            }
            number |= part << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number is too large")
    }
}

fn positive(number: u64) -> Result<u64, &'static str> {
    if number & 1 == 0 && number > 0 { Ok(number >> 1) } else { Err(NOT_PLAIN) }
}
