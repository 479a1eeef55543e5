//! Pretty-printer of layouts and blocks.

use std::fmt::{self, Display, Formatter, from_fn};

use crate::{
    Block, Context, Exit, Layout, Location, Operand, OperandKind, Place, SpaceId, Statement, Target, Temp,
    Width,
};

/// A function that names the register at a location of a width.
type Namer<'a> = &'a dyn Fn(Location, Width) -> Option<String>;

/// Prints blocks of a layout.
///
/// Any block can be printed. The text of a block that [`crate::verify`] accepts parses back to it, unless it has
/// register names.
#[derive(Clone, Copy)]
pub struct Printer<'a> {
    layout: &'a Layout,
    namer: Option<Namer<'a>>,
}

impl<'a> Printer<'a> {
    /// A printer of the plain form, which parses back.
    #[must_use]
    pub fn new(layout: &'a Layout) -> Printer<'a> {
        Printer { layout, namer: None }
    }

    /// The same printer with names of registers, for people: `get rax`.
    #[must_use]
    pub fn with_names(self, namer: Namer<'a>) -> Printer<'a> {
        Printer { namer: Some(namer), ..self }
    }

    /// The spaces, user operations and watched registers of the layout, one in each line.
    #[must_use]
    pub fn layout(self) -> impl Display + use<'a> {
        from_fn(move |formatter| {
            for space in &self.layout.spaces {
                let (name, kind, endian, address) = (&space.name, space.kind, space.endian, space.address);
                write!(formatter, "space {name} {kind} {endian} {address}")?;
                if space.unit != 1 {
                    write!(formatter, " unit {}", space.unit)?;
                }
                writeln!(formatter)?;
            }
            self.layout.user_operations.iter().try_for_each(|name| writeln!(formatter, "user {name}"))?;
            let plain = Printer { namer: None, ..self };
            let watched = self.layout.watched.iter();
            watched
                .map(|location| plain.location(*location, None))
                .try_for_each(|location| writeln!(formatter, "watch {location}"))
        })
    }

    /// A block.
    #[must_use]
    pub fn block<'b>(self, block: &'b Block) -> impl Display + use<'a, 'b> {
        from_fn(move |formatter| {
            write!(formatter, "block {} ", self.space(block.space))?;
            place(formatter, block.place, Context::default())?;
            writeln!(formatter, " end {:#x} {{", block.end)?;
            for statement in &block.statements {
                writeln!(formatter, "{}", self.statement(block, statement))?;
            }
            for exit in &block.exits {
                writeln!(formatter, "{}", self.exit(block, exit))?;
            }
            writeln!(formatter, "}}")
        })
    }

    /// A statement of a block, indented.
    #[must_use]
    pub fn statement<'b>(self, block: &'b Block, statement: &'b Statement) -> impl Display + use<'a, 'b> {
        from_fn(move |formatter| {
            if let Statement::Instruction { address, length, alignment } = statement {
                write!(formatter, "  @{address:#x}+{length}")?;
                return if *alignment > 1 { write!(formatter, " aligned {alignment}") } else { Ok(()) };
            }
            formatter.write_str("    ")?;
            if let Some(result) = statement.result() {
                write!(formatter, "{} = ", definition(block, result))?;
            }
            self.action(formatter, block, statement)
        })
    }

    /// The part of a statement after the equals sign.
    fn action(self, formatter: &mut Formatter<'_>, block: &Block, statement: &Statement) -> fmt::Result {
        let guard = match *statement {
            Statement::Instruction { .. } => None,
            Statement::Compute { op, .. } => {
                write!(formatter, "{op}")?;
                for &argument in statement.arguments() {
                    write!(formatter, " {}", operand(block, argument))?;
                }
                None
            }
            Statement::Get { result, location } => {
                let width = block.temps.get(result.index()).copied();
                write!(formatter, "get {}", self.location(location, width))?;
                None
            }
            Statement::Put { location, value } => {
                let width = block.find_width(value);
                write!(formatter, "put {} {}", self.location(location, width), operand(block, value))?;
                None
            }
            Statement::Load { space, address, guard, .. } => {
                write!(formatter, "load {} {}", self.space(space), operand(block, address))?;
                guard
            }
            Statement::Store { space, address, value, guard } => {
                let (address, value) = (operand(block, address), operand(block, value));
                write!(formatter, "store {} {address} {value}", self.space(space))?;
                guard
            }
            Statement::User { operation, arguments, guard, .. } => {
                match self.layout.user_operations.get(operation as usize) {
                    Some(name) => write!(formatter, "user {name}(")?,
                    None => write!(formatter, "user ?{operation}(")?,
                }
                let pooled = block.argument_pool.iter().skip(arguments.start as usize);
                for (index, &argument) in pooled.take(arguments.count as usize).enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(formatter, "{separator}{}", operand(block, argument))?;
                }
                formatter.write_str(")")?;
                guard
            }
        };
        guard.map_or(Ok(()), |guard| write!(formatter, " if {}", operand(block, guard)))
    }

    /// An exit of a block, indented.
    #[must_use]
    pub fn exit<'b>(self, block: &'b Block, exit: &'b Exit) -> impl Display + use<'b> {
        from_fn(move |formatter| {
            formatter.write_str("    exit ")?;
            if let Some(guard) = exit.guard {
                write!(formatter, "if {} ", operand(block, guard))?;
            }
            write!(formatter, "{} ", exit.kind.name())?;
            match exit.target {
                Target::Place(target) => place(formatter, target, block.place.context),
                Target::Computed { address, context: target } => {
                    write!(formatter, "[{}]", operand(block, address))?;
                    context(formatter, target, block.place.context)
                }
            }
        })
    }

    fn space(self, id: SpaceId) -> impl Display + use<'a> {
        from_fn(move |formatter| match self.layout.space(id) {
            Some(space) => formatter.write_str(&space.name),
            None => write!(formatter, "?{}", id.0),
        })
    }

    fn location(self, location: Location, width: Option<Width>) -> impl Display + use<'a> {
        from_fn(move |formatter| {
            let name = self.namer.and_then(|namer| namer(location, width?));
            match name {
                Some(name) => formatter.write_str(&name),
                None => write!(formatter, "{}[{:#x}]", self.space(location.space), location.offset),
            }
        })
    }
}

fn definition(block: &Block, temp: Temp) -> impl Display + use<> {
    let width = block.temps.get(temp.index()).copied();
    from_fn(move |formatter| match width {
        Some(width) => write!(formatter, "{temp}:{width}"),
        None => write!(formatter, "{temp}:?"),
    })
}

fn operand(block: &Block, operand: Operand) -> impl Display + use<'_> {
    from_fn(move |formatter| match (operand.kind(), block.value(operand)) {
        (OperandKind::Temp(temp), _) => write!(formatter, "{temp}"),
        (OperandKind::Constant(_), Some(value)) => write!(formatter, "{value}"),
        (OperandKind::Constant(index), None) => write!(formatter, "?{index}"),
    })
}

fn place(formatter: &mut Formatter<'_>, place: Place, usual: Context) -> fmt::Result {
    write!(formatter, "{:#x}", place.address)?;
    if place.part != 0 {
        write!(formatter, ".{}", place.part)?;
    }
    context(formatter, place.context, usual)
}

fn context(formatter: &mut Formatter<'_>, context: Context, usual: Context) -> fmt::Result {
    if context == usual { Ok(()) } else { write!(formatter, " context {:#x}", context.0) }
}
