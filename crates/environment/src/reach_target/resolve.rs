//! Resolution of a target against a program: the addresses of its places, and its conditions as blocks.

use super::compile::{CompiledCondition, compile};
use super::{CodePlace, PlaceText, PointText, TargetError, TargetText};
use crate::guest::Guest;

/// A target, resolved against a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachTarget {
    /// The target as it was written.
    pub text: TargetText,
    /// Its points, in the order in which they are passed.
    pub points: Vec<Waypoint>,
}

/// A point that a path must pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waypoint {
    /// The places, of which the path passes one.
    pub places: Vec<WaypointPlace>,
    /// The condition on the state there.
    pub condition: Option<CompiledCondition>,
    /// The point as it was written.
    pub text: String,
}

/// A place that a path passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaypointPlace {
    /// The instruction at an address, before it is executed.
    Instruction(u64),
    /// A branch direction: control has just come from one instruction to another.
    Direction {
        /// The branching instruction.
        branch: u64,
        /// The instruction behind it.
        target: u64,
    },
}

impl WaypointPlace {
    /// The address of the instruction that control has reached.
    #[must_use]
    pub fn address(self) -> u64 {
        match self {
            WaypointPlace::Instruction(address) | WaypointPlace::Direction { target: address, .. } => address,
        }
    }

    /// Whether control is here, at an instruction that it has reached from another one.
    #[must_use]
    pub fn is_at(self, from: u64, to: u64) -> bool {
        match self {
            WaypointPlace::Instruction(address) => address == to,
            WaypointPlace::Direction { branch, target } => branch == from && target == to,
        }
    }
}

impl Guest {
    /// Resolves a target.
    ///
    /// # Errors
    /// If a place is no instruction of the program, or a condition names what does not exist.
    pub fn resolve_target(&self, target: &TargetText) -> Result<ReachTarget, TargetError> {
        let point = |point: &PointText| -> Result<Waypoint, TargetError> {
            let condition = point.condition.as_ref().map(|condition| compile(self, target, condition));
            let end = point.condition.as_ref().map_or(point.span.end, |condition| condition.span.end);
            Ok(Waypoint {
                places: self.places_of(target, point)?,
                condition: condition.transpose()?,
                text: target.text.get(point.span.start..end).unwrap_or_default().trim().to_owned(),
            })
        };
        let points = target.points.iter().map(point).collect::<Result<_, _>>()?;
        Ok(ReachTarget { text: target.clone(), points })
    }

    fn places_of(&self, target: &TargetText, point: &PointText) -> Result<Vec<WaypointPlace>, TargetError> {
        let error = |message: String| TargetError::new(message, &target.text, point.span.clone());
        let instruction = |place: &CodePlace| self.instruction_of(place).map_err(error);
        Ok(match &point.place {
            PlaceText::Instruction(place) => vec![WaypointPlace::Instruction(instruction(place)?)],
            PlaceText::Direction { branch, target } => {
                vec![WaypointPlace::Direction { branch: instruction(branch)?, target: instruction(target)? }]
            }
            PlaceText::Line { file, line } => self.line_places(file, *line).map_err(error)?,
        })
    }

    /// The address of an instruction.
    fn instruction_of(&self, place: &CodePlace) -> Result<u64, String> {
        let address = match place {
            CodePlace::Address(address) => *address,
            CodePlace::Symbol { name, distance } => {
                let (_, address, _) = self.symbol(name).map_err(|error| error.to_string())?;
                address.wrapping_add(*distance)
            }
        };
        let place = self.code_map().given(address);
        match self.instruction(place) {
            Some(_) => Ok(place.address),
            None => Err(format!("there is no instruction at {:#x}", place.address)),
        }
    }

    /// The first instruction of each piece of code of a source line.
    fn line_places(&self, file: &str, line: u32) -> Result<Vec<WaypointPlace>, String> {
        let Some(lines) = self.image().lines() else {
            return Err("the program has no debug information, so that it has no source lines".to_owned());
        };
        let is_named = |path: &str| {
            path.strip_suffix(file).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        };
        let files = lines.files();
        let of_file: Vec<_> =
            lines.ranges().iter().filter(|range| is_named(&files[range.file as usize])).collect();
        if of_file.is_empty() {
            return Err(format!("no code of the program comes from a file `{file}`"));
        }
        let mut places: Vec<WaypointPlace> = of_file
            .iter()
            .filter(|range| range.line == line)
            .map(|range| WaypointPlace::Instruction(range.start))
            .collect();
        places.sort_unstable();
        if !places.is_empty() {
            return Ok(places);
        }
        let next = of_file.iter().map(|range| range.line).filter(|other| *other > line).min();
        Err(match next {
            Some(next) => format!("no code comes from line {line}; the next line with code is {next}"),
            None => format!("no code comes from line {line}, nor from one behind it"),
        })
    }
}
