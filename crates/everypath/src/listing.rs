//! The listing of a program for reports: functions of the recovered graph with disassembly and source text.

use crate::binary::Binary;
use crate::error::Error;
use crate::locator::function_name;
use everypath_analyze::{BlockId, FunctionId, Graph};
use everypath_lift::{Conformance, LiftSession, Lifter};
use everypath_record::{
    Address, CodeListing, ExecutorComparison, InstructionEvidence, ListedBlock, ListedFunction,
    ListedInstruction, ListedLine, SourceFile, Summary, mnemonic, sha256_hexadecimal,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Collects a listing.
struct Lister<'b> {
    binary: &'b Binary,
    graph: &'b Graph,
    session: LiftSession<'b>,
    /// The source files so far, by their paths.
    files: HashMap<String, usize>,
}

impl Binary {
    /// The listing of the functions that contain one of these addresses, and apart from them of all others that the results of a run
    /// know: functions of the graph in which there is neither a direction nor an execution, and those that no entry reaches. Of a
    /// Linux process, those without source lines are left out: its C library has thousands. Source files are looked up where
    /// debug information says, and in the given folder.
    ///
    /// # Errors
    /// If the architecture has no code space.
    pub fn listing(
        &self,
        addresses: &BTreeSet<u64>,
        summary: &Summary,
        sources: &Path,
    ) -> Result<CodeListing, Error> {
        let graph = self.graph_with_symbols()?;
        let lifter = Lifter::new(self.guest.shared_architecture());
        let mut lister =
            Lister { binary: self, graph: &graph, session: lifter.session(), files: HashMap::new() };
        let functions = (0..graph.functions().len() as u32).map(FunctionId);
        let listed = functions.filter_map(|id| lister.function(id));
        let (mut functions, mut unvisited): (Vec<ListedFunction>, Vec<ListedFunction>) =
            listed.partition(|one| contains(one, addresses));
        let entries = self.unvisited_entries(summary);
        unvisited.retain(|function| entries.contains(&function.address.0));
        functions.sort_by_key(|function| function.address);
        unvisited.sort_by_key(|function| function.address);
        let base = self.image().segments().first().map(|segment| Address(segment.address()));
        let evidence = evidence(self.architecture().conformance(), &functions);
        Ok(CodeListing { functions, unvisited, sources: lister.sources(sources), base, evidence })
    }

    /// The entries of the functions to list without an address of theirs.
    fn unvisited_entries(&self, summary: &Summary) -> BTreeSet<u64> {
        let Some(reach) = self.code_reach(summary) else { return BTreeSet::new() };
        let mut entries = reach.function_entries();
        let unreached =
            summary.unreached.iter().flat_map(|code| code.functions.iter().chain(&code.referenced));
        entries.extend(unreached.map(|function| function.address.0));
        let is_process = self.guest.is_linux_process(&self.configuration);
        entries.retain(|entry| !is_process || self.image().source_line(*entry).is_some());
        entries
    }
}

impl Lister<'_> {
    /// A function with its blocks, each of which belongs to one function; `None` if none of them has instructions.
    fn function(&mut self, id: FunctionId) -> Option<ListedFunction> {
        let function = self.graph.function(id);
        let entry = self.graph.block(function.entry).place.address;
        let is_own = |block: &BlockId| self.graph.function_of(*block) == Some(id);
        let own: Vec<BlockId> = function.blocks.iter().copied().filter(is_own).collect();
        let mut blocks: Vec<ListedBlock> = own.into_iter().filter_map(|block| self.block(block)).collect();
        blocks.sort_by_key(ListedBlock::start);
        let name = function_name(self.binary.image(), entry);
        (!blocks.is_empty()).then_some(ListedFunction { name, address: Address(entry), blocks })
    }

    fn block(&mut self, id: BlockId) -> Option<ListedBlock> {
        let node = self.graph.block(id);
        // A later part of an instruction with an inner loop is not another instruction.
        if !node.decoded || node.place.part != 0 {
            return None;
        }
        let decoded = self.binary.decode(&mut self.session, node.place, self.graph.instructions(id));
        let instructions: Vec<ListedInstruction> = decoded
            .into_iter()
            .map(|one| ListedInstruction {
                address: Address(one.address),
                length: one.length,
                text: one.text,
                source: self.line(one.address),
            })
            .collect();
        let inside = self.graph.successors(id).filter(|edge| edge.kind.is_inside());
        let successors: BTreeSet<Address> =
            inside.map(|edge| Address(self.graph.block(edge.to).place.address)).collect();
        let successors = successors.into_iter().collect();
        (!instructions.is_empty()).then_some(ListedBlock { instructions, successors })
    }

    fn line(&mut self, address: u64) -> Option<ListedLine> {
        let line = self.binary.image().source_line(address)?;
        let next = self.files.len();
        let file = match self.files.get(line.file) {
            Some(known) => *known,
            None => *self.files.entry(line.file.to_owned()).or_insert(next),
        };
        Some(ListedLine { file, line: line.line })
    }

    /// The source files, in the order of their numbers.
    fn sources(self, folder: &Path) -> Vec<SourceFile> {
        let mut files: Vec<(String, usize)> = self.files.into_iter().collect();
        files.sort_by_key(|(_, number)| *number);
        files.into_iter().map(|(path, _)| source_file(path, folder)).collect()
    }
}

/// A source file with its lines and its hash, if it can be found.
fn source_file(path: String, folder: &Path) -> SourceFile {
    let bytes = source_bytes(&path, folder);
    SourceFile {
        lines: bytes.as_deref().map(lines).unwrap_or_default(),
        hash: bytes.as_deref().map(sha256_hexadecimal),
        path,
    }
}

/// The lines of a source file, which is looked up by its path, and by its path and its name in a folder; none if it cannot be
/// found.
#[must_use]
pub fn source_lines(path: &str, folder: &Path) -> Vec<String> {
    source_bytes(path, folder).as_deref().map(lines).unwrap_or_default()
}

/// Maximum size of a source file.
const SOURCE_SIZE: u64 = 16 << 20;

/// The extensions of source files. Debug information may name any file of the user; only source text belongs into a report.
const SOURCE_EXTENSIONS: &[&str] = &[
    "ada", "adb", "ads", "asm", "c", "cc", "cpp", "cxx", "d", "f", "f90", "go", "h", "hh", "hpp", "hxx",
    "inc", "inl", "ino", "m", "mm", "pas", "rs", "s", "swift", "zig",
];

fn source_bytes(path: &str, folder: &Path) -> Option<Vec<u8>> {
    let path = Path::new(path);
    let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
    if !SOURCE_EXTENSIONS.contains(&extension.as_str()) {
        return None;
    }
    let is_readable = |candidate: &&PathBuf| {
        fs::metadata(candidate).is_ok_and(|file| file.is_file() && file.len() <= SOURCE_SIZE)
    };
    // Joined with a folder, an absolute path stays what it is.
    let candidates = [folder.join(path), folder.join(path.file_name()?)];
    candidates.iter().find(is_readable).and_then(|candidate| fs::read(candidate).ok())
}

fn lines(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text).lines().map(str::to_owned).collect()
}

/// The evidence for the mnemonics of some functions, of those that have any.
fn evidence(conformance: &Conformance, functions: &[ListedFunction]) -> Vec<InstructionEvidence> {
    let instructions = functions.iter().flat_map(ListedFunction::instructions);
    let mnemonics: BTreeSet<&str> = instructions.map(|instruction| mnemonic(&instruction.text)).collect();
    let count = |counts: &BTreeMap<String, u64>, name: &str| counts.get(name).copied().unwrap_or(0);
    let evidence = mnemonics.into_iter().map(|name| {
        let runs = conformance.comparisons.iter().map(|run| ExecutorComparison {
            executor: run.executor.clone(),
            equal: count(&run.equal, name),
            explained: count(&run.explained, name),
        });
        InstructionEvidence {
            mnemonic: name.to_owned(),
            vectors: count(&conformance.vectors, name),
            comparisons: runs.filter(|run| run.equal + run.explained > 0).collect(),
        }
    });
    evidence.filter(|one| one.vectors > 0 || !one.comparisons.is_empty()).collect()
}

fn contains(function: &ListedFunction, addresses: &BTreeSet<u64>) -> bool {
    let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    instructions.any(|instruction| addresses.contains(&instruction.address.0))
}
