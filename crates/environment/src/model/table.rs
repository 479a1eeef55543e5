//! Models of table lookups, such as processor identification.

use super::definition::{Call, ModelSetup, OperationModel};
use everypath_ir::{Bits, Endian, Location, SpaceId, Width};
use everypath_machine::{Fault, Permissions, Region};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Registers that are matched after the arguments.
    #[serde(default)]
    registers: Vec<String>,
    /// The answers; the first match counts.
    answers: Vec<Answer>,
    /// The size of one number of an answer in bytes.
    #[serde(default = "four")]
    size: usize,
    /// The address at which answers are stored, if the result is their address.
    at: Option<u64>,
}

fn four() -> usize {
    4
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// The arguments and registers to match; omitted ones at the end match anything.
    to: Vec<u64>,
    /// The numbers; omitted ones are zero.
    is: Vec<u64>,
}

pub(super) const TABLE: OperationModel = OperationModel {
    name: "table",
    what: "the result is looked up by the arguments and `registers`: the first of `answers` whose `to` fits, else zero; its \
           `is` are numbers of `size` bytes (4 if nothing is said), put into memory `at` if that is given, and the result is \
           then the address",
    ends: false,
    assumes: true,
    make: |setup| {
        let parameters: Parameters = setup.parameters()?;
        let table = Table::new(setup, parameters)?;
        Ok(Arc::new(move |call| table.look_up(call)))
    },
};

/// The maximum size of an answer in bytes.
const WIDEST: usize = 64;

struct Table {
    parameters: Parameters,
    registers: Vec<(Location, Width)>,
    /// The size of an answer in bytes.
    bytes: usize,
    space: SpaceId,
    endian: Endian,
}

impl Table {
    fn new(setup: &ModelSetup<'_>, parameters: Parameters) -> Result<Self, String> {
        if !(1..=8).contains(&parameters.size) {
            return Err("`size` is from 1 to 8 bytes".to_owned());
        }
        let longest = parameters.answers.iter().map(|answer| answer.is.len()).max().unwrap_or(0);
        let bytes = longest * parameters.size;
        if bytes > WIDEST || parameters.at.is_some_and(|at| at.checked_add(WIDEST as u64).is_none()) {
            return Err(format!("an answer has at most {WIDEST} bytes, which lie together"));
        }
        let architecture = setup.architecture;
        let space = architecture.spaces().get(architecture.specification().default_space());
        let space = space.ok_or("the architecture has no code space")?;
        let endian = architecture.layout()[space].endian;
        let registers =
            parameters.registers.iter().map(|name| setup.register(name)).collect::<Result<_, _>>()?;
        Ok(Self { parameters, registers, bytes, space, endian })
    }

    fn look_up(&self, call: &mut Call<'_>) -> Result<Option<Bits>, Fault> {
        let mut asked: Vec<u64> = call.arguments.iter().map(Bits::to_word).collect();
        for register in &self.registers {
            asked.push(call.register(*register)?);
        }
        let fitting = self.parameters.answers.iter().find(|answer| asked.starts_with(&answer.to));
        let numbers = fitting.map_or(&[][..], |answer| &answer.is);
        let size = self.parameters.size;
        let Some(at) = self.parameters.at else {
            // The first number is the least significant.
            let bytes: Vec<u8> =
                numbers.iter().flat_map(|number| number.to_le_bytes().into_iter().take(size)).collect();
            let width = Width::new(8 * self.bytes.max(8) as u32).unwrap_or(Width::W64);
            return Ok(Some(Bits::from_bytes_le(&bytes, width)));
        };
        if let Some(memory) = call.state.memory(self.space)
            && self.bytes > 0
        {
            let permissions = Permissions { read: true, write: false, execute: false };
            let region = Region::memory(at, at + self.bytes as u64 - 1, permissions);
            if memory.regions().at(at) != Some(region) {
                memory.map(region);
            }
            for index in 0..self.bytes / size {
                let number = numbers.get(index).copied().unwrap_or(0);
                for (byte, value) in number.to_le_bytes().into_iter().enumerate().take(size) {
                    memory.poke(at + (index * size + self.endian.place(byte, size)) as u64, value);
                }
            }
        }
        Ok(Some(Bits::from_u64(at, Width::W64)))
    }
}
