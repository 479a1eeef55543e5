//! The recovered graph, read from the output of `everypath graph --as json`.

use super::hexadecimal::Hexadecimal;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;

const FORMAT: (&str, u32) = ("everypath.graph", 3);

type Block = (Hexadecimal, usize, Option<u32>, Vec<u8>, Vec<(u32, usize, usize)>);
type Indirect = (usize, Hexadecimal, String, bool, usize, Vec<Hexadecimal>);

#[derive(Deserialize)]
struct Document {
    format: String,
    version: u32,
    architecture: String,
    edge_kinds: Vec<String>,
    reasons: Vec<String>,
    functions: Vec<Function>,
    blocks: Vec<Block>,
    indirect_exits: Vec<Indirect>,
}

#[derive(Deserialize)]
struct Function {
    address: Hexadecimal,
}

/// The kinds of edges.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Inside,
    Call,
    CallFallThrough,
    TailCall,
}

/// An indirect jump, call or return.
#[derive(Debug)]
pub(super) struct IndirectExit {
    pub kind: String,
    pub resolved: bool,
    pub reason: String,
    pub targets: BTreeSet<u64>,
}

/// The merged exits of all blocks that end with one instruction: there is one for each decoding context.
#[derive(Default, Debug)]
pub(super) struct Leaving {
    pub edges: BTreeSet<(u64, Kind)>,
    pub indirect: Vec<IndirectExit>,
    /// The address after the block.
    pub ends: BTreeSet<u64>,
}

impl Leaving {
    /// Whether an edge of a kind leads to an address.
    pub(super) fn leads(&self, to: u64, kind: Kind) -> bool {
        self.edges.contains(&(to, kind))
    }

    pub(super) fn has(&self, kind: &str) -> bool {
        self.indirect.iter().any(|exit| exit.kind == kind)
    }

    /// Whether control may go to a called function.
    pub(super) fn calls(&self) -> bool {
        self.has("call") || self.edges.iter().any(|(_, kind)| *kind == Kind::Call)
    }
}

/// A graph, by addresses.
pub(super) struct Graph {
    pub architecture: String,
    /// The lengths of the instructions that begin at an address.
    pub instructions: BTreeMap<u64, Vec<u8>>,
    pub starts: BTreeSet<u64>,
    pub functions: BTreeSet<u64>,
    /// The exits of blocks, by their last instruction.
    pub leaving: HashMap<u64, Leaving>,
}

impl Graph {
    /// Recovers the graph of a file with `everypath`.
    ///
    /// # Errors
    /// If it fails, or its output is not the documented one.
    pub(super) fn recover(everypath: &Path, file: &Path) -> Result<Self, String> {
        let mut command = Command::new(everypath);
        command.arg("graph").arg(file).args(["--as", "json"]);
        let text = super::build::output(&mut command, "the workspace")?;
        let document: Document = serde_json::from_slice(&text).map_err(|error| format!("graph: {error}"))?;
        if (document.format.as_str(), document.version) != FORMAT {
            return Err(format!("the graph is {} version {}", document.format, document.version));
        }
        Self::index(document)
    }

    fn index(document: Document) -> Result<Self, String> {
        let mut graph = Self {
            architecture: document.architecture,
            instructions: BTreeMap::new(),
            starts: BTreeSet::new(),
            functions: document.functions.iter().map(|function| function.address.0).collect(),
            leaving: HashMap::new(),
        };
        let kinds: Vec<Kind> = document
            .edge_kinds
            .iter()
            .map(|name| match name.as_str() {
                "call" => Kind::Call,
                "call-fall-through" => Kind::CallFallThrough,
                "tail-call" => Kind::TailCall,
                _ => Kind::Inside,
            })
            .collect();
        for (Hexadecimal(start), _, _, lengths, edges) in &document.blocks {
            let (mut address, mut last) = (*start, *start);
            for length in lengths {
                let known = graph.instructions.entry(address).or_default();
                if !known.contains(length) {
                    known.push(*length);
                }
                last = address;
                address += u64::from(*length);
            }
            if lengths.is_empty() {
                continue;
            }
            graph.starts.insert(*start);
            let leaving = graph.leaving.entry(last).or_default();
            leaving.ends.insert(address);
            for (to, kind, _) in edges {
                let to = document.blocks.get(*to as usize).ok_or("an edge leads to no block")?.0.0;
                leaving.edges.insert((to, *kinds.get(*kind).ok_or("an edge has no kind")?));
            }
        }
        for (_, Hexadecimal(last), kind, resolved, reason, targets) in document.indirect_exits {
            graph.leaving.entry(last).or_default().indirect.push(IndirectExit {
                kind,
                resolved,
                reason: document.reasons.get(reason).cloned().unwrap_or_default(),
                targets: targets.into_iter().map(|target| target.0).collect(),
            });
        }
        Ok(graph)
    }

    /// The instruction of the graph that contains an address after its first byte.
    pub(super) fn around(&self, address: u64) -> Option<u64> {
        let near = self.instructions.range(address.saturating_sub(16)..address).rev();
        near.into_iter()
            .find(|(start, lengths)| lengths.iter().any(|length| *start + u64::from(*length) > address))
            .map(|(start, _)| *start)
    }
}
