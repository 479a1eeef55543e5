//! The parse tree of one instruction: the constructors that its bytes select.

use crate::bad::BadInstruction;
use crate::context::DecodingContext;
use crate::expression::Evaluator;
use crate::field::Window;
use crate::handle::Handle;
use crate::specification::Specification;
use crate::table::{ContextChange, Definition, Symbol, Tables};

/// The maximum number of constructors and operands of one instruction. The largest known need fewer than 300.
const NODE_LIMIT: usize = 2048;
/// The maximum nesting of constructors.
const DEPTH_LIMIT: u32 = 128;

/// A constructor or another operand in the tree. The operands of a constructor are consecutive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) constructor: Option<u32>,
    pub(crate) parent: Option<u32>,
    /// The offset of its first byte in the instruction.
    pub(crate) offset: u32,
    pub(crate) length: u32,
    /// The node of its first operand.
    pub(crate) children: u32,
    pub(crate) handle: Handle,
}

impl Node {
    fn new(parent: Option<u32>) -> Self {
        Self { constructor: None, parent, offset: 0, length: 0, children: 0, handle: Handle::default() }
    }
}

/// A context change that a constructor commits; its address is not yet known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingCommit {
    pub(crate) symbol: u32,
    pub(crate) node: u32,
    pub(crate) mask: u128,
    pub(crate) value: u128,
    pub(crate) flows: bool,
}

/// A parsed instruction. It is reused for each instruction, so that decoding does not allocate.
#[derive(Clone, Debug)]
pub(crate) struct Parse {
    pub(crate) address: u64,
    pub(crate) window: Window,
    pub(crate) context: DecodingContext,
    pub(crate) nodes: Vec<Node>,
    pub(crate) commits: Vec<PendingCommit>,
    pub(crate) length: u32,
    /// The size of its delay slot in bytes.
    pub(crate) delay: u32,
    /// The address after it.
    pub(crate) next: u64,
    /// The address after it and its delay slots: the next instruction in p-code.
    pub(crate) fall: u64,
    /// The address of the instruction after that, if `inst_next2` is used.
    pub(crate) next2: Option<u64>,
    pub(crate) uses_next2: bool,
    /// The size in bytes of an address unit of the code space, in which expressions count.
    pub(crate) unit: u64,
}

impl Parse {
    pub(crate) fn empty() -> Self {
        Self {
            address: 0,
            window: Window::new(&[]),
            context: DecodingContext::default(),
            nodes: Vec::with_capacity(64),
            commits: Vec::new(),
            length: 0,
            delay: 0,
            next: 0,
            fall: 0,
            next2: None,
            uses_next2: false,
            unit: 1,
        }
    }

    /// Parses the bytes at an address in a context.
    pub(crate) fn run(
        &mut self,
        specification: &Specification,
        bytes: &[u8],
        address: u64,
        context: DecodingContext,
    ) -> Result<(), BadInstruction> {
        self.address = address;
        self.window = Window::new(bytes);
        self.context = context;
        self.nodes.clear();
        self.commits.clear();
        self.delay = 0;
        self.next = address;
        self.next2 = None;
        self.uses_next2 = false;
        self.unit = u64::from(specification.code_space().word_size);
        self.nodes.push(Node::new(None));
        let tables = &specification.tables;
        let root = tables.choose(specification.root, &self.window, 0, self.context)?;
        self.construct(tables, 0, root, 0)?;
        self.length = self.nodes[0].length;
        if self.length as usize > self.window.available {
            return Err(BadInstruction::Truncated);
        }
        self.next = specification.code_space().wrap(address.wrapping_add(u64::from(self.length)));
        self.fall = self.next;
        Ok(())
    }

    /// Builds a node from its constructor: context changes first, then the operands in order, then the length.
    fn construct(
        &mut self,
        tables: &Tables,
        node: u32,
        constructor: u32,
        depth: u32,
    ) -> Result<(), BadInstruction> {
        let definition = &tables.constructors[constructor as usize];
        let children = self.nodes.len();
        let operands = &tables.operands[definition.operands.range()];
        if depth > DEPTH_LIMIT || children + operands.len() > NODE_LIMIT {
            return Err(BadInstruction::TooComplex);
        }
        self.nodes[node as usize].constructor = Some(constructor);
        self.nodes[node as usize].children = children as u32;
        self.nodes.resize(children + operands.len(), Node::new(Some(node)));
        self.uses_next2 |= definition.uses_next2;
        if definition.changes.count > 0 {
            self.change_context(tables, node, &tables.changes[definition.changes.range()])?;
        }
        for (position, operand) in operands.iter().enumerate() {
            let start = match operand.after {
                None => self.nodes[node as usize].offset,
                Some(previous) => {
                    // The reader has checked that the referenced operand precedes this one.
                    let previous = self.nodes[children + usize::from(previous)];
                    previous.offset + previous.length
                }
            };
            let child = (children + position) as u32;
            self.nodes[child as usize].offset = start + operand.offset;
            if let Definition::Subtable(table) = operand.definition {
                let offset = self.nodes[child as usize].offset as usize;
                let chosen = tables.choose(table, &self.window, offset, self.context)?;
                self.construct(tables, child, chosen, depth + 1)?;
                continue;
            }
            if let Definition::Symbol(symbol) = operand.definition {
                self.check_index(tables, symbol, child)?;
            }
            self.nodes[child as usize].length = operand.minimum_length;
        }
        let own = self.nodes[node as usize].offset;
        let end = self.nodes[children..children + operands.len()]
            .iter()
            .map(|child| child.offset + child.length)
            .fold(own + definition.minimum_length, u32::max);
        self.nodes[node as usize].length = end - own;
        if let Some(template) = definition.template {
            let delay = tables.templates[template as usize].delay;
            if delay > 0 {
                self.delay = delay;
            }
        }
        Ok(())
    }

    fn change_context(
        &mut self,
        tables: &Tables,
        node: u32,
        changes: &[ContextChange],
    ) -> Result<(), BadInstruction> {
        for change in changes {
            match *change {
                ContextChange::Set { mask, shift, value } => {
                    let value = Evaluator { tables, parse: self }.at_node(value, node)?;
                    self.context = self.context.with(mask, (value as u128) << shift);
                }
                ContextChange::Commit { symbol, mask, flows } => {
                    let value = self.context.0 & mask;
                    self.commits.push(PendingCommit { symbol, node, mask, value, flows });
                }
            }
        }
        Ok(())
    }

    /// A field that indexes a list matches only if the list has an entry.
    fn check_index(&self, tables: &Tables, symbol: u32, node: u32) -> Result<(), BadInstruction> {
        let evaluator = Evaluator { tables, parse: self };
        let present = match &tables.symbols[symbol as usize] {
            Symbol::ValueMap { index, values } => {
                let index = evaluator.at_node(*index, node)?;
                entry(values, index).is_some_and(|value| *value != ABSENT_VALUE)
            }
            Symbol::Names { index, names } => {
                entry(names, evaluator.at_node(*index, node)?).is_some_and(Option::is_some)
            }
            Symbol::VarnodeList { index, varnodes } => {
                entry(varnodes, evaluator.at_node(*index, node)?).is_some_and(Option::is_some)
            }
            _ => true,
        };
        if present { Ok(()) } else { Err(BadInstruction::NoMatch) }
    }
}

/// The mark of a missing entry in a table of values.
const ABSENT_VALUE: i64 = 0xBAD_BEEF;

/// The entry of a list for a field's value.
pub(crate) fn entry<T>(list: &[T], index: i64) -> Option<&T> {
    usize::try_from(index).ok().and_then(|index| list.get(index))
}
