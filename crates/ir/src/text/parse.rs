//! Recursive-descent parser of the text form of layouts and blocks.

use std::collections::HashMap;

use super::scan::{Parsed, Scanner, decimal, hexadecimal};
use super::{Listing, ParseError};
use crate::{
    Bits, BlockBuilder, Context, Endian, ExitKind, Location, Op, Operand, Place, Space, SpaceId, SpaceKind,
    Target, Temp, Width, is_plain_name,
};

/// Parses a listing in time linear in the length of the text.
pub(super) fn parse(text: &str) -> Result<Listing, ParseError> {
    let mut parser = Parser {
        scanner: Scanner::new(text),
        listing: Listing::default(),
        spaces: HashMap::new(),
        user_operations: HashMap::new(),
    };
    while !parser.scanner.is_at_end() {
        match parser.scanner.peek_word() {
            "space" => parser.space_line()?,
            "user" => parser.user_line()?,
            "watch" => parser.watch_line()?,
            "block" => parser.block()?,
            _ => return parser.scanner.error("`space`, `user`, `watch` or `block`"),
        }
    }
    Ok(parser.listing)
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    listing: Listing,
    spaces: HashMap<&'a str, SpaceId>,
    user_operations: HashMap<&'a str, u32>,
}

fn width(word: &str) -> Option<Width> {
    Width::new(decimal(word)?)
}

impl<'a> Parser<'a> {
    fn name(&mut self, expected: &str, is_new: impl FnOnce(&Self, &str) -> bool) -> Parsed<&'a str> {
        let name = self.scanner.peek_word();
        if !is_plain_name(name) || !is_new(self, name) {
            return self.scanner.error(expected);
        }
        self.scanner.skip_word();
        Ok(name)
    }

    fn space_line(&mut self) -> Parsed<()> {
        self.scanner.skip_word();
        let name = self.name("a new name of a space", |parser, name| !parser.spaces.contains_key(name))?;
        let Ok(number) = u8::try_from(self.listing.layout.spaces.len()) else {
            return self.scanner.error("at most 256 spaces");
        };
        let kind = self.scanner.read("`memory`, `register` or `temporary`", |word| {
            SpaceKind::ALL.into_iter().find(|kind| kind.name() == word)
        })?;
        let endian = self
            .scanner
            .read("`little` or `big`", |word| Endian::ALL.into_iter().find(|endian| endian.name() == word))?;
        let address = self.scanner.read("the width of an address, 1 to 64", |word| {
            width(word).filter(|&width| width <= Width::W64)
        })?;
        let unit = if self.scanner.take_word("unit") {
            self.scanner.read("a number of bytes, 1 to 255", |word| decimal(word).filter(|&unit| unit > 0))?
        } else {
            1
        };
        self.spaces.insert(name, SpaceId(number));
        self.listing.layout.spaces.push(Space { name: name.to_owned(), kind, endian, address, unit });
        Ok(())
    }

    fn user_line(&mut self) -> Parsed<()> {
        self.scanner.skip_word();
        let is_new = |parser: &Self, name: &str| !parser.user_operations.contains_key(name);
        let name = self.name("a new name of a user operation", is_new)?;
        self.user_operations.insert(name, self.listing.layout.user_operations.len() as u32);
        self.listing.layout.user_operations.push(name.to_owned());
        Ok(())
    }

    fn watch_line(&mut self) -> Parsed<()> {
        self.scanner.skip_word();
        let location = self.location()?;
        self.listing.layout.watched.push(location);
        Ok(())
    }

    fn space(&mut self) -> Parsed<SpaceId> {
        let Parser { scanner, spaces, .. } = self;
        scanner.read("the name of a space", |word| spaces.get(word).copied())
    }

    fn context(&mut self, usual: Context) -> Parsed<Context> {
        if !self.scanner.take_word("context") {
            return Ok(usual);
        }
        self.scanner.read("a context such as 0x5", hexadecimal).map(Context)
    }

    fn place(&mut self, usual: Context) -> Parsed<Place> {
        let (address, part) =
            self.scanner.read("a place such as 0x401000 or 0x401000.2", |word| {
                match word.split_once('.') {
                    Some((address, part)) => Some((hexadecimal(address)?, decimal(part)?)),
                    None => Some((hexadecimal(word)?, 0)),
                }
            })?;
        Ok(Place { address, part, context: self.context(usual)? })
    }

    fn block(&mut self) -> Parsed<()> {
        self.scanner.skip_word();
        let space = self.space()?;
        let place = self.place(Context::default())?;
        self.scanner.word("end")?;
        let end = self.scanner.read("an address such as 0x401000", hexadecimal)?;
        self.scanner.sign('{')?;
        let mut builder = BlockBuilder::plain(place, space);
        while !self.scanner.is_at('}') && self.scanner.peek_word() != "exit" {
            self.statement(&mut builder)?;
        }
        while !self.scanner.is_at('}') {
            self.exit(&mut builder)?;
        }
        self.scanner.sign('}')?;
        self.listing.blocks.push(builder.finish(end));
        Ok(())
    }

    fn operand(&mut self, builder: &mut BlockBuilder) -> Parsed<Operand> {
        let word = self.scanner.peek_word();
        if let Some(number) = word.strip_prefix('t').and_then(decimal::<u32>) {
            if number as usize >= builder.block().temps.len() {
                return self.scanner.error(format!("a temporary that is defined above, unlike t{number}"));
            }
            self.scanner.skip_word();
            return Ok(Temp::new(number).into());
        }
        let start = self.scanner.position();
        let Some(digits) = word.strip_prefix("0x") else {
            return self.scanner.error("a temporary such as t0 or a constant such as 0x1f:8");
        };
        self.scanner.skip_word();
        self.scanner.sign(':')?;
        let width = self.scanner.read("a width, 1 to 512", width)?;
        match Bits::from_hex(digits, width) {
            Some(value) => Ok(builder.constant(value)),
            None => self.scanner.error_at(start, format!("a hexadecimal constant of {width} bits")),
        }
    }

    fn guard(&mut self, builder: &mut BlockBuilder) -> Parsed<Option<Operand>> {
        if self.scanner.take_word("if") { self.operand(builder).map(Some) } else { Ok(None) }
    }

    fn location(&mut self) -> Parsed<Location> {
        let space = self.space()?;
        self.scanner.sign('[')?;
        let offset = self.scanner.read("an offset such as 0x20", hexadecimal)?;
        self.scanner.sign(']')?;
        Ok(Location { space, offset })
    }

    fn statement(&mut self, builder: &mut BlockBuilder) -> Parsed<()> {
        if self.scanner.take_sign('@') {
            let address = self.scanner.read("an address such as 0x401000", hexadecimal)?;
            self.scanner.sign('+')?;
            let length = self.scanner.read("a length in bytes, at most 255", decimal)?;
            let alignment = if self.scanner.take_word("aligned") {
                self.scanner
                    .read("a number of bytes, 1 to 255", |word| decimal(word).filter(|&bytes| bytes > 0))?
            } else {
                1
            };
            builder.aligned_instruction(address, length, alignment);
            return Ok(());
        }
        match self.scanner.peek_word() {
            "put" => {
                self.scanner.skip_word();
                let location = self.location()?;
                let value = self.operand(builder)?;
                builder.put(location, value);
                Ok(())
            }
            "store" => {
                self.scanner.skip_word();
                let space = self.space()?;
                let address = self.operand(builder)?;
                let value = self.operand(builder)?;
                let guard = self.guard(builder)?;
                builder.store(space, address, value, guard);
                Ok(())
            }
            "user" => self.user(builder, None),
            word if word.strip_prefix('t').and_then(decimal::<u32>).is_some() => self.definition(builder),
            _ => self.scanner.error("a statement, `exit` or `}`"),
        }
    }

    fn definition(&mut self, builder: &mut BlockBuilder) -> Parsed<()> {
        let due = format!("t{}", builder.block().temps.len());
        if !self.scanner.take_word(&due) {
            return self.scanner.error(format!("{due}, the next temporary"));
        }
        self.scanner.sign(':')?;
        let result = self.scanner.read("a width, 1 to 512", width)?;
        self.scanner.sign('=')?;
        match self.scanner.peek_word() {
            "get" => {
                self.scanner.skip_word();
                let location = self.location()?;
                builder.get(location, result);
            }
            "load" => {
                self.scanner.skip_word();
                let space = self.space()?;
                let address = self.operand(builder)?;
                let guard = self.guard(builder)?;
                builder.load(space, address, result, guard);
            }
            "user" => self.user(builder, Some(result))?,
            _ => {
                let op: Op =
                    self.scanner.read("`get`, `load`, `user` or an operator", |word| word.parse().ok())?;
                let mut arguments = [Operand::FILLER; 3];
                for argument in &mut arguments[..op.arity()] {
                    *argument = self.operand(builder)?;
                }
                builder.compute(op, result, &arguments[..op.arity()]);
            }
        }
        Ok(())
    }

    fn user(&mut self, builder: &mut BlockBuilder, result: Option<Width>) -> Parsed<()> {
        self.scanner.skip_word();
        let Parser { scanner, user_operations, .. } = self;
        let operation =
            scanner.read("the name of a user operation", |word| user_operations.get(word).copied())?;
        self.scanner.sign('(')?;
        let mut arguments = Vec::new();
        while !self.scanner.is_at(')') {
            if !arguments.is_empty() {
                self.scanner.sign(',')?;
            }
            arguments.push(self.operand(builder)?);
        }
        self.scanner.sign(')')?;
        let guard = self.guard(builder)?;
        builder.user(result, operation, &arguments, guard);
        Ok(())
    }

    fn exit(&mut self, builder: &mut BlockBuilder) -> Parsed<()> {
        if !self.scanner.take_word("exit") {
            return self.scanner.error("`exit` or `}`");
        }
        let guard = self.guard(builder)?;
        let kind = self.scanner.read("`fall`, `jump`, `call` or `return`", |word| {
            ExitKind::ALL.into_iter().find(|kind| kind.name() == word)
        })?;
        let usual = builder.block().place.context;
        let target = if self.scanner.take_sign('[') {
            let address = self.operand(builder)?;
            self.scanner.sign(']')?;
            Target::Computed { address, context: self.context(usual)? }
        } else {
            Target::Place(self.place(usual)?)
        };
        builder.exit(guard, kind, target);
        Ok(())
    }
}
