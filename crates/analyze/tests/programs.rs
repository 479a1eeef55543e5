//! Regression programs on which graphs or value sets were wrong, each with its expectations: see
//! `tests/graph/README.md`.

use everypath_analyze::{
    AnalysisOptions, BlockId, FunctionId, Graph, IndirectExit, Program, Settings, Trust, ValueSets,
};
use everypath_image::{Image, ReadOptions};
use everypath_ir::ExitKind;
use everypath_lift::Library;
use everypath_testkit::programs::installed;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A built program with its static results.
struct Case<'c> {
    program: &'c Program<'c>,
    graph: Graph,
    values: ValueSets,
}

impl Case<'_> {
    fn address(&self, name: &str) -> Result<u64, String> {
        let symbol = self.program.image().symbol_named(name);
        symbol.map(|symbol| symbol.address).ok_or_else(|| format!("there is no symbol {name}"))
    }

    /// The block that contains the instruction at a symbol.
    fn block(&self, name: &str) -> Result<BlockId, String> {
        let address = self.address(name)?;
        let has = |block: &BlockId| self.graph.instructions(*block).any(|(at, _)| at == address);
        self.graph.blocks().find(has).ok_or_else(|| format!("{name} at {address:#x} is not in the graph"))
    }

    fn function(&self, name: &str) -> Result<FunctionId, String> {
        let address = self.address(name)?;
        let functions = self.graph.functions().iter().zip(0..);
        let mut found =
            functions.filter(|(function, _)| self.graph.block(function.entry).place.address == address);
        found.next().map(|(_, number)| FunctionId(number)).ok_or_else(|| format!("{name} is no function"))
    }

    /// The only indirect jump of a function.
    fn jump(&self, name: &str) -> Result<&IndirectExit, String> {
        let blocks = &self.graph.function(self.function(name)?).blocks;
        let jumps = blocks.iter().flat_map(|block| self.graph.indirect_exits_of(*block));
        let jumps: Vec<&IndirectExit> =
            jumps.filter(|exit| matches!(exit.kind, ExitKind::Jump | ExitKind::Fall)).collect();
        match jumps[..] {
            [jump] => Ok(jump),
            _ => Err(format!("{name} has {} indirect jumps", jumps.len())),
        }
    }

    /// Evaluates one expectation.
    fn holds(&self, words: &[&str]) -> Result<bool, String> {
        let graph = &self.graph;
        Ok(match words {
            ["block", name] => self.block(name).map(|_| true)?,
            ["function", name] => self.function(name).map(|_| true)?,
            ["no-function", name] => {
                self.address(name)?;
                self.function(name).is_err()
            }
            ["returns", name] => graph.function(self.function(name)?).returns,
            ["never-returns", name] => !graph.function(self.function(name)?).returns,
            ["import", name] => {
                let mut imports = graph.indirect_exits().filter_map(|exit| exit.import.as_ref());
                imports.any(|import| &*import.name == *name)
            }
            ["targets", name, count] => {
                let jump = self.jump(name)?;
                let found = graph.propose(jump.block, jump.exit).len();
                let expected: usize = count.parse().map_err(|_| "no number")?;
                if found != expected {
                    return Err(format!("{found} targets, {:?}", jump.state));
                }
                true
            }
            ["resolved", name] => self.jump(name)?.state.is_resolved(),
            ["unresolved", name] => !self.jump(name)?.state.is_resolved(),
            ["unresolved-at", name] => {
                let exits = graph.indirect_exits_of(self.block(name)?);
                !exits.is_empty() && exits.iter().all(|exit| !exit.state.is_resolved())
            }
            ["reached", name] => !self.values.before(self.block(name)?).is_empty(),
            ["unknown", name, register] => {
                let architecture = self.program.architecture();
                let (location, width) = architecture.register(register).ok_or("no such register")?;
                let block = self.block(name)?;
                if graph.block(block).place.address != self.address(name)? {
                    return Err(format!("no block begins at {name}"));
                }
                let states = self.values.before(block);
                let is_unknown = |state: &everypath_analyze::AbstractState| {
                    state.place(architecture.layout(), location, width).is_unknown()
                };
                !states.is_empty() && states.iter().all(|(_, state)| is_unknown(state))
            }
            ["once"] => {
                let decoded = graph.blocks().filter(|block| graph.block(*block).decoded);
                let mut seen = BTreeSet::new();
                let mut starts = decoded.map(|block| graph.block(block).place.address);
                starts.all(|address| seen.insert(address))
            }
            _ => return Err("an expectation that is not known".to_owned()),
        })
    }
}

/// The expectations that a source states.
fn lines(text: &str) -> Vec<Vec<&str>> {
    let stated = text.lines().filter_map(|line| {
        let line = line.trim_start_matches(['/', '#', ' ']);
        let line = line.strip_prefix("@ ").unwrap_or(line);
        let words = line.strip_prefix('@')?.split_whitespace().collect::<Vec<_>>();
        words
            .first()
            .is_some_and(|word| word.chars().all(|letter| letter.is_lowercase() || letter == '-'))
            .then_some(words)
    });
    stated.collect()
}

/// Builds a source with one command and checks all expectations. Returns their number and the failures.
fn check(source: &Path, command: &[&str], stated: &[Vec<&str>]) -> (usize, Vec<String>) {
    let folder = std::env::temp_dir().join(format!("everypath-programs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("built");
    let [compiler, arguments @ ..] = command else { panic!("{}: no compiler", source.display()) };
    let built = Command::new(compiler).args(arguments).arg(source).arg("-o").arg(&file).output();
    let built = built.unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(built.status.success(), "{command:?}: {}", String::from_utf8_lossy(&built.stderr));
    let bytes = std::fs::read(&file).expect("a file");
    std::fs::remove_dir_all(&folder).expect("the folder");
    let image = Image::read(bytes, &ReadOptions::default()).expect("an image");
    let library = Library::built_in();
    let name = library.detect(&image).expect("an architecture");
    let program = Program::new(library.load(name).expect("an architecture"), &image).expect("it has code");
    let graph = Graph::recover(&program, Settings::default());
    let values = ValueSets::analyse(&program, &graph, AnalysisOptions::new(&program, Trust::Nothing), None);
    let case = Case { program: &program, graph, values };
    let checked = stated.iter().filter(|words| words[0] != "build");
    let mut wrong = Vec::new();
    let mut count = 0;
    for words in checked {
        count += 1;
        match case.holds(words) {
            Ok(true) => {}
            Ok(false) => {
                wrong.push(format!("{} ({}): {}", source.display(), command.join(" "), words.join(" ")));
            }
            Err(why) => {
                wrong.push(format!(
                    "{} ({}): {}: {why}",
                    source.display(),
                    command.join(" "),
                    words.join(" ")
                ));
            }
        }
    }
    (count, wrong)
}

/// Checks all programs. Returns the failures.
pub(crate) fn faults() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/graph");
    let mut sources: Vec<_> =
        std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    sources.sort();
    let mut wrong = Vec::new();
    for source in sources.iter().filter(|path| path.extension().is_none_or(|extension| extension != "md")) {
        let text = std::fs::read_to_string(source).expect("a text");
        let stated = lines(&text);
        let (mut checked, mut skipped) = (0, false);
        for words in stated.iter().filter(|words| words[0] == "build") {
            if !installed(&words[1..2]) {
                skipped = true;
                continue;
            }
            let (count, faults) = check(source, &words[1..], &stated);
            checked += count;
            wrong.extend(faults);
        }
        assert!(checked > 0 || skipped, "{}: nothing is stated", source.display());
    }
    wrong
}

#[test]
fn what_is_stated_of_programs_holds() {
    let wrong = faults();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
