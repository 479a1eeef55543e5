//! The programs of the kit: a listing of machine code with its assembly, a configuration, and the verdicts that a person
//! derived from the listing.

use everypath::Verdict;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A program with expectations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KitProgram {
    /// Its architecture.
    pub architecture: String,
    /// Its name.
    pub name: String,
    /// Its behaviour in a few words.
    pub title: String,
    /// The listing: address, machine code and assembly.
    pub listing: String,
    /// The address of the first byte.
    pub base: u64,
    /// The machine code.
    pub image: Vec<u8>,
    /// The entry address; none if the architecture has one.
    pub entry: Option<u64>,
    /// Its `everypath.toml`.
    pub configuration: String,
    /// The cells of one byte whose every value, in every combination, the exhaustive runs give.
    pub inputs: Vec<String>,
    /// The expected results.
    pub expected: ExpectedVerdicts,
}

/// The expected results of a program.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedVerdicts {
    /// The exit code of `everypath test`.
    pub exit_code: i32,
    /// The directions that some input takes: `0x4 -> 0x7`.
    #[serde(default)]
    pub covered: Vec<String>,
    /// The directions that no input takes.
    #[serde(default)]
    pub infeasible: Vec<String>,
    /// The finding that must be reported, if any.
    pub finding: Option<ExpectedFinding>,
    /// The instruction that an assumption must name, if any.
    pub assumption: Option<u64>,
}

/// An expected finding.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFinding {
    /// The oracle.
    pub oracle: String,
    /// The instruction.
    pub address: u64,
}

/// The file of a program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramFile {
    title: String,
    entry: Option<u64>,
    listing: String,
    configuration: String,
    inputs: Vec<String>,
    expected: ExpectedVerdicts,
}

impl KitProgram {
    /// Reads the file of a program.
    ///
    /// # Errors
    /// A message, if it is malformed.
    pub fn parse(architecture: &str, name: &str, text: &str) -> Result<KitProgram, String> {
        let ProgramFile { title, entry, listing, configuration, inputs, expected } =
            toml::from_str(text).map_err(|error| error.to_string())?;
        let bytes = machine_code(&listing)?;
        let (Some((base, _)), Some((last, _))) = (bytes.first_key_value(), bytes.last_key_value()) else {
            return Err("the listing has no machine code".to_owned());
        };
        let (base, last) = (*base, *last);
        let image = (base..=last).map(|address| bytes.get(&address).copied().unwrap_or(0)).collect();
        let architecture = architecture.to_owned();
        let name = name.to_owned();
        Ok(KitProgram {
            architecture,
            name,
            title,
            listing,
            base,
            image,
            entry,
            configuration,
            inputs,
            expected,
        })
    }

    /// Its architecture and its name, as results call it.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{}/{}", self.architecture, self.name)
    }
}

impl ExpectedVerdicts {
    /// The expected verdict on each direction, in one word, by the text of the direction.
    #[must_use]
    pub fn verdicts(&self) -> BTreeMap<String, &'static str> {
        let covered = Verdict::covered_by_test("").name();
        let infeasible = Verdict::infeasible(String::new()).name();
        let of = |list: &[String], name: &'static str| {
            list.iter().map(|direction| (direction.clone(), name)).collect::<Vec<_>>()
        };
        of(&self.covered, covered).into_iter().chain(of(&self.infeasible, infeasible)).collect()
    }
}

/// The bytes of a listing. A line of code is indented and has an address, bytes, and assembly behind two spaces; other lines
/// are labels.
fn machine_code(listing: &str) -> Result<BTreeMap<u64, u8>, String> {
    let mut bytes = BTreeMap::new();
    for line in listing.lines().filter(|line| line.starts_with("  ")) {
        let wrong = || format!("not of the form `  address  bytes  assembly`: {line}");
        let mut columns = line.trim_start().splitn(2, "  ");
        let address = columns.next().and_then(|address| u64::from_str_radix(address, 16).ok());
        let address = address.ok_or_else(wrong)?;
        let code = columns.next().and_then(|rest| rest.split("  ").next()).ok_or_else(wrong)?;
        for (distance, byte) in code.split_whitespace().enumerate() {
            let byte = u8::from_str_radix(byte, 16).map_err(|_| wrong())?;
            if bytes.insert(address + distance as u64, byte).is_some() {
                return Err(format!("two bytes at one address: {line}"));
            }
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_listing_is_the_image() {
        let listing = "start:\n  0010  90 00 05  mov dptr,#5\nend:\n  0014  80 fe     sjmp end\n";
        let bytes = machine_code(listing).unwrap();
        assert_eq!(bytes.into_iter().collect::<Vec<_>>()[..2], [(0x10, 0x90), (0x11, 0)]);
        assert!(machine_code("  0010  9z  mov").unwrap_err().contains("not of the form"));
        assert!(machine_code("  0010  90 00  a\n  0011  90  b").unwrap_err().contains("two bytes"));
    }
}
