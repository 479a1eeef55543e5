//! Made-up functions with structured control flow: sequences, conditions, loops, switches and early returns.

use everypath_record::{Address, ListedBlock, ListedFunction, ListedInstruction, ListedLine};

/// A linear congruential generator (Knuth's MMIX): the same numbers in each run.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

/// How a block ends: with the numbers of the blocks that it leads to beside the next one.
enum End {
    Falls,
    Jumps(usize),
    Branches(usize),
    Switches(Vec<usize>),
    Returns,
}

struct Draft {
    instructions: Vec<(String, u32)>,
    end: End,
}

/// The builder of a function: its blocks in the order of their addresses, and the source text that they belong to.
pub(crate) struct FunctionMaker<'m> {
    chance: &'m mut Chance,
    lines: &'m mut Vec<String>,
    blocks: Vec<Draft>,
    branches: usize,
}

impl FunctionMaker<'_> {
    /// Makes a function with about this many branches, and appends its source text to the lines of a file.
    pub(crate) fn make(
        chance: &mut Chance,
        name: &str,
        entry: u64,
        branches: usize,
        file: usize,
        lines: &mut Vec<String>,
    ) -> ListedFunction {
        lines.extend([String::new(), format!("int {name}(struct state *state)"), "{".to_owned()]);
        let mut maker = FunctionMaker { chance, lines, blocks: Vec::new(), branches };
        maker.straight("push {r4-r7,lr}");
        while maker.branches > 0 {
            maker.statement(1);
        }
        maker.straight("movs r0,#0x0");
        maker.end(End::Returns, "pop {r4-r7,pc}");
        maker.lines.push("}".to_owned());
        let drafts = maker.blocks;
        ListedFunction {
            name: name.to_owned(),
            address: Address(entry),
            blocks: laid_out(&drafts, entry, file),
        }
    }

    fn line(&mut self, depth: usize, text: &str) -> u32 {
        self.lines.push("    ".repeat(depth) + text);
        self.lines.len() as u32
    }

    /// Begins a block with an instruction or two.
    fn straight(&mut self, text: &str) {
        let line = self.lines.len() as u32;
        let mut instructions = vec![(text.to_owned(), line)];
        if self.chance.below(2) == 0 {
            instructions.push((
                format!("ldr r{},[r4,#0x{:x}]", self.chance.below(4), self.chance.below(16) * 4),
                line,
            ));
        }
        self.blocks.push(Draft { instructions, end: End::Falls });
    }

    /// Ends the last block.
    fn end(&mut self, end: End, text: &str) {
        let line = self.lines.len() as u32;
        let last = self.blocks.last_mut().expect("a block was begun");
        last.instructions.push((text.to_owned(), line));
        last.end = end;
    }

    fn statement(&mut self, depth: usize) {
        if self.branches == 0 || depth > 4 {
            self.line(depth, "state->total += state->level;");
            self.straight("adds r1,r1,r2");
            return;
        }
        self.branches -= 1;
        let value = self.chance.below(200);
        if self.chance.below(3) == 0 {
            self.line(depth, "/* The limit is from the requirements, 4.2. */");
        }
        match self.chance.below(10) {
            0..4 => {
                self.line(depth, &format!("if (state->level > {value}) {{"));
                let branch = self.branch(value);
                self.statement(depth + 1);
                self.line(depth, "}");
                self.join(branch);
            }
            4..7 => {
                self.line(depth, &format!("if (state->mode == {value} && \"<&>\") {{"));
                let branch = self.branch(value);
                self.statement(depth + 1);
                self.end(End::Falls, "b <join>");
                let jump = self.blocks.len() - 1;
                self.line(depth, "} else {");
                self.straight("movs r3,#0x1");
                self.set_target(branch);
                self.statement(depth + 1);
                self.line(depth, "}");
                self.straight("nop");
                self.blocks[jump].end = End::Jumps(self.blocks.len() - 1);
            }
            7..9 => {
                self.line(depth, &format!("while (state->count < {value}) {{"));
                let branch = self.branch(value);
                self.statement(depth + 1);
                self.statement(depth + 1);
                self.end(End::Jumps(branch), "b <loop>");
                self.line(depth, "}");
                self.join(branch);
            }
            _ if self.chance.below(2) == 0 => {
                self.line(depth, "if (!state->ready) return -1;");
                let branch = self.branch(0);
                self.straight("movs r0,#0xff");
                self.end(End::Returns, "pop {r4-r7,pc}");
                self.join(branch);
            }
            _ => self.switch(depth),
        }
    }

    fn switch(&mut self, depth: usize) {
        self.line(depth, "switch (state->command) {");
        self.straight("ldrb r3,[r4,#0x8]");
        self.end(End::Returns, "tbb [pc,r3]");
        let (switch, mut cases, mut jumps) = (self.blocks.len() - 1, Vec::new(), Vec::new());
        for case in 0..5 {
            self.line(depth, &format!("case {case}: total += {case}; break;"));
            self.straight("adds r1,r1,#0x1");
            self.end(End::Falls, "b <join>");
            cases.push(self.blocks.len() - 1);
            jumps.push(self.blocks.len() - 1);
        }
        self.line(depth, "}");
        self.straight("nop");
        for jump in jumps {
            self.blocks[jump].end = End::Jumps(self.blocks.len() - 1);
        }
        self.blocks[switch].end = End::Switches(cases);
    }

    /// A block that ends with a branch, whose target is not known yet. Returns its number.
    fn branch(&mut self, value: usize) -> usize {
        self.straight(&format!("cmp r0,#0x{value:x}"));
        self.end(End::Branches(0), "bgt <skip>");
        self.blocks.len() - 1
    }

    /// Begins the block behind a statement, to which its branch leads.
    fn join(&mut self, branch: usize) {
        self.straight("nop");
        self.set_target(branch);
    }

    fn set_target(&mut self, branch: usize) {
        self.blocks[branch].end = End::Branches(self.blocks.len() - 1);
    }
}

/// The blocks at their addresses.
fn laid_out(drafts: &[Draft], entry: u64, file: usize) -> Vec<ListedBlock> {
    let mut next = entry;
    let mut starts = Vec::new();
    for draft in drafts {
        starts.push(Address(next));
        next += 2 * draft.instructions.len() as u64;
    }
    let block = |(number, draft): (usize, &Draft)| {
        let successors = match &draft.end {
            End::Falls => vec![starts[number + 1]],
            End::Jumps(to) => vec![starts[*to]],
            End::Branches(to) => vec![starts[number + 1], starts[*to]],
            End::Switches(cases) => cases.iter().map(|case| starts[*case]).collect(),
            End::Returns => Vec::new(),
        };
        let instructions =
            draft.instructions.iter().enumerate().map(|(index, (text, line))| ListedInstruction {
                address: Address(starts[number].0 + 2 * index as u64),
                length: 2,
                text: text.clone(),
                source: Some(ListedLine { file, line: *line }),
            });
        ListedBlock { instructions: instructions.collect(), successors }
    };
    drafts.iter().enumerate().map(block).collect()
}
