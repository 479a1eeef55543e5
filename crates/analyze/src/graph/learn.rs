//! The two ways between the graph and exploration: what may be tried, and what was found.

use super::build::{Builder, Settings};
use super::node::{BlockId, Evidence, NONE, Origin};
use super::whole::Graph;
use crate::program::Program;
use everypath_ir::Place;

/// A way from a block to a place that somebody found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding {
    /// An instruction of the block.
    pub from: Place,
    /// Which exit of the block.
    pub exit: u8,
    /// Where it leads to.
    pub to: Place,
    /// Who found it.
    pub origin: Origin,
}

impl Graph {
    /// The targets of a computed exit that are known or thought possible, with who says so: what to ask a solver for first.
    pub fn propose(&self, block: BlockId, exit: u8) -> Vec<(Place, Origin)> {
        let edges = self.successors(block).filter(|edge| edge.exit == exit);
        let edges = edges.filter(|edge| !edge.kind.is_behind_call());
        let mut targets: Vec<_> = edges.map(|edge| (self.block(edge.to).place, edge.origin)).collect();
        targets.sort_unstable();
        targets
    }

    /// Takes in what runs or a solver found, and decodes what it leads to. Nothing that is known is ever lost. Says whether
    /// anything was new.
    pub fn learn(&mut self, program: &Program<'_>, findings: &[Finding]) -> bool {
        let mut builder = Builder::new(program, Settings::default());
        builder.graph = std::mem::take(self);
        builder.tried_with = builder.graph.edges.len();
        builder.evidence = std::mem::take(&mut builder.graph.evidence);
        let is_new = builder.learn(findings);
        *self = builder.graph;
        is_new
    }

    /// How sure it is that a function begins at a place.
    pub fn evidence(&self, place: Place) -> Option<Evidence> {
        self.function_at(place).map(|function| self.function(function).evidence)
    }
}

impl Builder<'_> {
    /// Takes in what was found, and divides the blocks near it among the functions. Says whether anything was new.
    fn learn(&mut self, findings: &[Finding]) -> bool {
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
        changed.append(&mut self.graph.unlinked);
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
    use crate::graph::EdgeKind;
    use everypath_image::{Format, Image, ReadOptions};
    use everypath_lift::Library;
    use everypath_testkit::guests::{build, targets};
    use everypath_testkit::random::Random;
    use std::path::Path;

    /// The programs of which something is learnt.
    const GUESTS: [&str; 4] = ["mergesort", "calc", "pointer_table", "door"];
    /// How many times something is learnt of each program.
    const TIMES: u64 = 40;
    /// How many random programs there are for each architecture, and how many bytes they have.
    const NOISES: u64 = 6;
    const NOISE: u64 = 2048;

    /// Of each function its entry, why it is one, its blocks and whether it returns; of each block its function; and what each
    /// edge does.
    type Division = (Vec<(Place, Evidence, Vec<BlockId>, bool)>, Vec<u32>, Vec<EdgeKind>);

    fn division(graph: &Graph) -> Division {
        let functions = graph.functions().iter().map(|function| {
            let entry = graph.block(function.entry).place;
            (entry, function.evidence, function.blocks.clone(), function.returns)
        });
        let owners = graph.nodes.iter().map(|node| node.function).collect();
        (functions.collect(), owners, graph.edges.iter().map(|edge| edge.kind).collect())
    }

    /// A way from some computed exit to some instruction.
    fn any_finding(graph: &Graph, random: &mut Random) -> Option<Finding> {
        let dynamics: Vec<_> = graph.dynamics().collect();
        let dynamic = dynamics.get(random.number_below(dynamics.len().max(1) as u64) as usize)?;
        let block = BlockId(random.number_below(graph.len() as u64) as u32);
        let instructions: Vec<u64> = graph.instructions(block).map(|(address, _)| address).collect();
        let address = *instructions.get(random.number_below(instructions.len().max(1) as u64) as usize)?;
        let (from, to) = (graph.block(dynamic.block).place, graph.block(block).place);
        let to = Place::new(address, to.context);
        Some(Finding { from, exit: dynamic.exit, to, origin: Origin::Executed })
    }

    /// Learns things at random, and divides everything anew each time. Says how many times something was new.
    fn learn_at_random(program: &Program<'_>, random: &mut Random, what: &str) -> u64 {
        let mut learnt = 0;
        let mut graph = Graph::recover(program, Settings::default());
        for time in 0..TIMES {
            // At first nothing, to see that the whole was divided so to begin with.
            let count = if time == 0 { 0 } else { 1 + random.number_below(3) };
            let findings: Vec<Finding> = (0..count).filter_map(|_| any_finding(&graph, random)).collect();
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
        for target in targets(&root).expect("targets") {
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
        // In random bytes functions lead into the middle of each other as no compiler would have them.
        let mut random = Random::new(12);
        let mut learnt = 0;
        let library = Library::built_in();
        for (name, ..) in library.list() {
            let architecture = library.load(name).expect("an architecture");
            for _ in 0..NOISES {
                let bytes: Vec<u8> = (0..NOISE).map(|_| random.number_below(256) as u8).collect();
                let format = Format::by_name("raw");
                let options = ReadOptions { format, entry: Some(0), base: Some(0), ..ReadOptions::default() };
                let image = Image::read(bytes, &options).expect("an image");
                let program = Program::new(architecture.clone(), &image).expect("it has code");
                learnt += learn_at_random(&program, &mut random, name);
            }
        }
        assert!(learnt > 0, "nothing was learnt");
    }
}
