//! Incremental control-flow recovery: proposes targets to exploration, and adds the edges that exploration finds.

use super::build::Builder;
use super::settings::Settings;
use crate::graph::{BlockId, EdgeOrigin, Graph, NONE};
use crate::program::Program;
use everypath_ir::Place;

/// An edge from a block to a place that a run or an analysis found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObservedTarget {
    /// An instruction of the block.
    pub from: Place,
    /// The index of the block's exit.
    pub exit: u8,
    /// The target.
    pub to: Place,
    /// How it was found.
    pub origin: EdgeOrigin,
}

impl Graph {
    /// Recovers the control-flow graph of a program.
    pub fn recover(program: &Program<'_>, settings: Settings) -> Graph {
        Builder::new(program, settings).build()
    }

    /// The known or possible targets of an indirect exit, with their origins: candidates for solver queries.
    pub fn propose(&self, block: BlockId, exit: u8) -> Vec<(Place, EdgeOrigin)> {
        let edges = self.successors(block).filter(|edge| edge.exit == exit);
        let edges = edges.filter(|edge| !edge.kind.is_call_continuation());
        let mut targets: Vec<_> = edges.map(|edge| (self.block(edge.to).place, edge.origin)).collect();
        targets.sort_unstable();
        targets
    }

    /// Adds edges that runs or a solver found, and decodes what they lead to. Nothing known is lost. Returns true if
    /// anything was new.
    pub fn learn(&mut self, program: &Program<'_>, findings: &[ObservedTarget]) -> bool {
        let mut builder = Builder::new(program, Settings::default());
        builder.graph = std::mem::take(self);
        builder.tried_with = builder.graph.edges.len();
        builder.evidence = std::mem::take(&mut builder.graph.evidence);
        let is_new = builder.learn(findings);
        *self = builder.graph;
        is_new
    }
}

impl Builder<'_> {
    /// Adds findings, and partitions the affected blocks again. Returns true if anything was new.
    fn learn(&mut self, findings: &[ObservedTarget]) -> bool {
        let (edges, blocks) = (self.graph.edges.len(), self.graph.len());
        for finding in findings {
            if let Some(from) = self.graph.containing_anyhow(finding.from) {
                self.add_targets(from, finding.exit, &[finding.to], finding.origin);
                self.run();
            }
        }
        let is_new = (edges, blocks) != (self.graph.edges.len(), self.graph.len());
        let mut changed: Vec<BlockId> = (blocks as u32..self.graph.len() as u32).map(BlockId).collect();
        for edge in &self.graph.edges[edges..] {
            changed.extend([edge.from, edge.to].into_iter().filter(|block| *block != BlockId(NONE)));
        }
        changed.append(&mut self.graph.take_unlinked());
        changed.sort_unstable();
        changed.dedup();
        if changed.is_empty() {
            self.graph.evidence = std::mem::take(&mut self.evidence);
        } else {
            self.partition_near(&changed);
        }
        is_new
    }
}

#[cfg(test)]
mod checks {
    use super::*;
    use crate::graph::{EdgeKind, Evidence};
    use everypath_image::{Image, ImageFormat, ReadOptions};
    use everypath_lift::Library;
    use everypath_testkit::guests::{GuestTarget, build, targets};
    use everypath_testkit::random::Random;
    use std::path::Path;

    /// The guest programs to test.
    const GUESTS: [&str; 4] = ["mergesort", "calc", "pointer_table", "door"];
    /// Rounds of random findings per program.
    const TIMES: u64 = 40;
    /// Number of random programs per architecture, and their size in bytes.
    const NOISES: u64 = 6;
    const NOISE: u64 = 2048;

    /// The partition: entry, evidence, blocks and returning flag of each function; the function of each block; the kind
    /// of each edge.
    type Division = (Vec<(Place, Evidence, Vec<BlockId>, bool)>, Vec<u32>, Vec<EdgeKind>);

    fn division(graph: &Graph) -> Division {
        let functions = graph.functions().iter().map(|function| {
            let entry = graph.block(function.entry).place;
            (entry, function.evidence, function.blocks.clone(), function.returns)
        });
        let owners = graph.nodes.iter().map(|node| node.function).collect();
        (functions.collect(), owners, graph.edges.iter().map(|edge| edge.kind).collect())
    }

    /// A random edge from an indirect exit to an instruction.
    fn any_finding(graph: &Graph, random: &mut Random) -> Option<ObservedTarget> {
        let exits: Vec<_> = graph.indirect_exits().collect();
        let exit = exits.get(random.number_below(exits.len().max(1) as u64) as usize)?;
        let block = BlockId(random.number_below(graph.len() as u64) as u32);
        let instructions: Vec<u64> = graph.instructions(block).map(|(address, _)| address).collect();
        let address = *instructions.get(random.number_below(instructions.len().max(1) as u64) as usize)?;
        let (from, to) = (graph.block(exit.block).place, graph.block(block).place);
        let to = Place::new(address, to.context);
        Some(ObservedTarget { from, exit: exit.exit, to, origin: EdgeOrigin::Executed })
    }

    /// Adds random findings and compares each incremental partition with a full one. Returns how many rounds added
    /// something.
    fn learn_at_random(program: &Program<'_>, random: &mut Random, what: &str) -> u64 {
        let mut learnt = 0;
        let mut graph = Graph::recover(program, Settings::default());
        for time in 0..TIMES {
            // The first round adds nothing and checks the initial partition.
            let count = if time == 0 { 0 } else { 1 + random.number_below(3) };
            let findings: Vec<ObservedTarget> =
                (0..count).filter_map(|_| any_finding(&graph, random)).collect();
            learnt += u64::from(graph.learn(program, &findings));
            let near = division(&graph);
            let mut builder = Builder::new(program, Settings::default());
            builder.graph = std::mem::take(&mut graph);
            builder.evidence = std::mem::take(&mut builder.graph.evidence);
            builder.partition();
            graph = builder.graph;
            assert_eq!(near, division(&graph), "{what}: {findings:?}");
        }
        learnt
    }

    #[test]
    fn what_is_learnt_of_guests_bit_by_bit_ends_as_if_all_blocks_were_divided_anew() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut random = Random::new(11);
        let mut learnt = 0;
        for target in targets(&root).expect("targets").into_iter().filter(GuestTarget::is_installed) {
            let level = target.levels.iter().chain(&target.contained).last().expect("a level");
            let mut guests = target.guests(&root).expect("guests");
            guests
                .retain(|guest| guest.file_stem().is_some_and(|name| GUESTS.iter().any(|one| *one == name)));
            for source in guests {
                let folder = tempfile::tempdir().expect("a folder");
                let built = build(&source, &target, level, folder.path()).expect("a guest");
                let bytes = std::fs::read(&built.file).expect("a file");
                let image = Image::read(bytes, &ReadOptions::default()).expect("an image");
                let architecture = Library::built_in().load(&target.name).expect("an architecture");
                let program = Program::new(architecture, &image).expect("it has code");
                learnt += learn_at_random(&program, &mut random, &target.name);
            }
        }
        assert!(learnt > 0, "nothing was learnt");
    }

    #[test]
    fn what_is_learnt_of_noise_bit_by_bit_ends_as_if_all_blocks_were_divided_anew() {
        // In random bytes, functions jump into the middle of each other as no compiler would make them.
        let mut random = Random::new(12);
        let mut learnt = 0;
        let library = Library::built_in();
        for (name, ..) in library.list() {
            let architecture = library.load(name).expect("an architecture");
            for _ in 0..NOISES {
                let bytes: Vec<u8> = (0..NOISE).map(|_| random.number_below(256) as u8).collect();
                let format = ImageFormat::by_name("raw");
                let options = ReadOptions { format, entry: Some(0), base: Some(0), ..ReadOptions::default() };
                let image = Image::read(bytes, &options).expect("an image");
                let program = Program::new(architecture.clone(), &image).expect("it has code");
                learnt += learn_at_random(&program, &mut random, name);
            }
        }
        assert!(learnt > 0, "nothing was learnt");
    }
}
