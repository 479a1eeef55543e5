//! `everypath inspect ir`: lifted blocks.

use crate::arguments::File;
use crate::document::{self, Hexadecimal};
use crate::failure::Failure;
use crate::input;
use crate::listing::{labels, printable};
use crate::range::symbol;
use everypath_image::Image;
use everypath_ir::{Block, Location, Place, Printer, Statement, Target, Width, verify};
use everypath_lift::{Architecture, CodeMap, Library, LiftSession, LiftedRegion, Lifter};
use std::io::Write;

/// The arguments of the command.
pub(super) struct IrArgs<'a> {
    pub(super) file: &'a File,
    pub(super) symbol: Option<&'a str>,
    pub(super) from: Option<u64>,
    pub(super) limit: usize,
    pub(super) plain: bool,
}

pub(super) fn run(
    options: &IrArgs<'_>,
    library: &Library,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let image = input::image(options.file)?;
    let architecture = input::architecture(options.file, &image, library)?;
    let starts = starts(options, &image, &architecture)?;
    let lifter = Lifter::new(architecture.clone());
    let mut session = lifter.session();
    let region = LiftedRegion::build(&mut session, &image, starts, options.limit);
    let mut view = View { image: &image, architecture: &architecture, session };
    if json {
        document::write(out, "everypath.inspect.ir", &view.document(&region))?;
    } else if options.plain {
        let printer = Printer::new(architecture.layout());
        write!(out, "{}", printer.layout())?;
        for block in region.blocks.values() {
            write!(out, "{}", printer.block(block))?;
        }
    } else {
        view.print(&region, out)?;
    }
    if region.limit_reached && !json {
        writeln!(out, "# there are more blocks; --limit {} was reached", options.limit)?;
    }
    check(&architecture, &region)
}

fn starts(options: &IrArgs<'_>, image: &Image, architecture: &Architecture) -> Result<Vec<Place>, Failure> {
    let mut map = CodeMap::new(architecture, image);
    if let Some(name) = options.symbol {
        return Ok(vec![map.place(symbol(image, name)?.address)]);
    }
    if let Some(address) = options.from {
        return Ok(vec![map.given(address)]);
    }
    let starts = map.starts(image);
    if starts.is_empty() {
        let path = options.file.path.display();
        return Err(Failure::Input(format!(
            "{path}: it is not known where execution begins; add --entry ADDR, --from ADDR or --symbol NAME"
        )));
    }
    Ok(starts.into_iter().map(|start| start.place).collect())
}

/// A block that is not well formed is a fault of the lifter.
fn check(architecture: &Architecture, region: &LiftedRegion) -> Result<(), Failure> {
    let mut faults = Vec::new();
    for block in region.blocks.values() {
        if let Err(found) = verify(architecture.layout(), block) {
            faults.extend(found.iter().map(|fault| format!("block {:#x}: {fault}", block.place.address)));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Failure::Bug(faults.join("\n"))) }
}

/// The data for printing blocks.
struct View<'v> {
    image: &'v Image,
    architecture: &'v Architecture,
    session: LiftSession<'v>,
}

impl View<'_> {
    fn print(&mut self, region: &LiftedRegion, out: &mut dyn Write) -> Result<(), Failure> {
        let architecture = self.architecture;
        let namer =
            |location: Location, width: Width| architecture.register_name(location, width).map(str::to_owned);
        let printer = Printer::new(architecture.layout()).with_names(&namer);
        for block in region.blocks.values() {
            for name in self.labels(block) {
                writeln!(out, "# {}", printable(&name))?;
            }
            let mut instructions = self.instructions(block).into_iter();
            let text = printer.block(block).to_string();
            // The first line is that of the block, and each statement has one after it.
            for (index, line) in text.lines().enumerate() {
                let statement = index.checked_sub(1).and_then(|index| block.statements.get(index));
                match statement {
                    Some(Statement::Instruction { .. }) => {
                        let text =
                            instructions.next().map(|instruction| instruction.text).unwrap_or_default();
                        writeln!(out, "{line:20}  # {}", printable(&text))?;
                    }
                    _ => writeln!(out, "{line}")?,
                }
            }
        }
        for (place, why) in &region.holes {
            writeln!(out, "# no block at {:#x}: {why}", place.address)?;
        }
        Ok(())
    }

    fn document(&mut self, region: &LiftedRegion) -> document::Region<'_> {
        let layout = self.architecture.layout();
        let printer = Printer::new(layout);
        let mut blocks = Vec::new();
        for block in region.blocks.values() {
            let exits = block.exits.iter().map(|exit| document::Exit {
                kind: exit.kind.name(),
                guarded: exit.guard.is_some(),
                target: match exit.target {
                    Target::Place(place) => Some(Hexadecimal(place.address)),
                    Target::Computed { .. } => None,
                },
            });
            blocks.push(document::Block {
                address: Hexadecimal(block.place.address),
                part: block.place.part,
                context: format!("{:#x}", block.place.context.0),
                end: Hexadecimal(block.end),
                labels: self.labels(block),
                instructions: self.instructions(block),
                exits: exits.collect(),
                text: printer.block(block).to_string(),
            });
        }
        let holes = region.holes.iter();
        let hole = |(place, why): (&Place, &everypath_lift::NotLifted)| document::Hole {
            address: Hexadecimal(place.address),
            reason: why.to_string(),
        };
        document::Region {
            architecture: self.architecture.name(),
            layout: printer.layout().to_string(),
            blocks,
            holes: holes.map(hole).collect(),
            limit_reached: region.limit_reached,
        }
    }

    fn labels(&self, block: &Block) -> Vec<String> {
        let start = block.place.address;
        if block.place.part > 0 {
            return Vec::new();
        }
        labels(self.image, start, start.saturating_add(1)).map(|symbol| symbol.name.clone()).collect()
    }

    /// The disassembly of a block's instructions, the context flowing from one to the next.
    fn instructions(&mut self, block: &Block) -> Vec<document::BlockInstruction> {
        let marks: Vec<(u64, u8)> = block.instructions().collect();
        let mut context = block.place.context;
        let mut instructions = Vec::new();
        for (index, (address, length)) in marks.iter().copied().enumerate() {
            let text = match self.session.decode(self.image, address, context) {
                Ok(instruction) => {
                    if let Some((next, _)) = marks.get(index + 1) {
                        context = self.architecture.successor_context(context, instruction.commits(), *next);
                    }
                    instruction.text()
                }
                // An instruction in a delay slot may have no meaning of its own.
                Err(bad) => bad.to_string(),
            };
            instructions.push(document::BlockInstruction { address: Hexadecimal(address), length, text });
        }
        instructions
    }
}
