//! Suites as traces: the tests of a folder that `everypath test` wrote, replayed on the concrete machine, each under the configuration
//! that its suite records. So runs of single functions and of the whole program become one coverage.

use super::{ExecutionTrace, RecordedExecution, ReplayedTest};
use crate::binary::Binary;
use crate::error::Error;
use everypath_environment::{AddressOrSymbol, Configuration};
use everypath_explore::{trace, verify};
use everypath_record::{Suite, Summary, TestCase, sha256_hexadecimal};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The name of the file by which the folder of a suite is recognised, and that of the folder of its tests.
const SUMMARY: &str = "summary.json";
const TESTS: &str = "tests";

impl Binary {
    /// Reads a trace of this program, or the tests of a suite as traces: of a folder that `everypath test` wrote, all of its tests; of
    /// a file in its folder `tests`, that test. Tests are replayed, each under the configuration that its suite records.
    ///
    /// ```
    /// use everypath::{Binary, Verdict};
    /// // movx a,@dptr; jz 4; inc a; sjmp 4
    /// let code = b"\xe0\x60\x01\x04\x80\xfe";
    /// # let folder = std::env::temp_dir().join(format!("everypath-suite-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let text = "[[volatile]]\nname = \"port\"\nspace = \"EXTMEM\"\naddress = 0\n";
    /// std::fs::write(folder.join("everypath.toml"), text)?;
    /// let options = || Binary::options().architecture("8051").raw(0);
    /// let configured = options().configuration_file(folder.join("everypath.toml"))?.read(code)?;
    /// configured.explore().run()?.write(folder.join("suite"))?;
    /// // Without that configuration, nothing is input.
    /// let binary = options().read(code)?;
    /// let outcome = binary.cover(&binary.read_traces(folder.join("suite"))?)?;
    /// let is_covered = |judged: &&everypath::Judged| matches!(judged.verdict, Verdict::Covered { .. });
    /// assert_eq!(outcome.verdicts().iter().filter(is_covered).count(), 2);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Binary::read_trace`]; and if the suite is of another program, does not record its configuration, or a test does not run
    /// as recorded.
    pub fn read_traces(&self, path: impl AsRef<Path>) -> Result<Vec<ExecutionTrace>, Error> {
        let path = path.as_ref();
        if path.is_dir() {
            return self.replay_suite(path, path, None);
        }
        match suite_of(path) {
            Some(folder) => self.replay_suite(path, folder, Some(path)),
            None => Ok(vec![self.read_trace(path)?]),
        }
    }

    /// Replays the tests of a suite, or one of them. Errors name what was given.
    fn replay_suite(
        &self,
        given: &Path,
        folder: &Path,
        only: Option<&Path>,
    ) -> Result<Vec<ExecutionTrace>, Error> {
        let refused = |message: String| Error::Trace { file: given.display().to_string(), message };
        if !folder.join(SUMMARY).is_file() {
            return Err(refused(format!(
                "there is no {SUMMARY} in it; give a folder that `everypath test` wrote, or the file of a trace"
            )));
        }
        let suite = Suite::read(folder)?;
        let configuration = self.configuration_of(&suite.summary).map_err(refused)?;
        let wanted = |test: &&TestCase| {
            only.is_none_or(|file| file.file_stem().is_some_and(|stem| *stem == *test.name))
        };
        let tests: Vec<&TestCase> = suite.tests.iter().filter(wanted).collect();
        if tests.is_empty() {
            return Err(refused("there is no test in it that its suite has".to_owned()));
        }
        let world = World {
            folder,
            function: configuration.call.as_ref().map(|call| match &call.function {
                AddressOrSymbol::Symbol(name) => name.clone(),
                AddressOrSymbol::Address(address) => format!("{address:#x}"),
            }),
            is_own: suite.summary.configuration_hash == self.configuration_hash,
            configuration,
        };
        tests.into_iter().map(|test| self.replay_test(&world, test).map_err(refused)).collect()
    }

    /// The configuration that a suite was made with.
    ///
    /// # Errors
    /// The problem, in words, if it is of another program or does not record its configuration.
    fn configuration_of(&self, summary: &Summary) -> Result<Configuration, String> {
        let Summary { program, program_hash, architecture, .. } = summary;
        if *program_hash != self.program_hash {
            return Err(format!(
                "its tests were made for another program: {program} with SHA-256 {program_hash}; this one has {}; run `everypath test` \
                 on it again",
                self.program_hash
            ));
        }
        if architecture != self.architecture().name() {
            let own = self.architecture().name();
            return Err(format!(
                "its tests were made for the architecture {architecture}; this run has {own}"
            ));
        }
        let Some(recorded) = &summary.configuration else {
            if summary.configuration_hash == self.configuration_hash && !self.configuration_hash.is_empty() {
                return Ok(self.configuration.clone());
            }
            return Err(
                "its suite does not record its configuration: it is of an older version, or was configured in code; run \
                 `everypath test` again"
                    .to_owned(),
            );
        };
        if recorded.base != self.lowest_address() {
            let shown = |base: Option<everypath_record::Address>| {
                base.map_or_else(|| "nowhere".to_owned(), |base| base.to_string())
            };
            return Err(format!(
                "its tests have the program at {}, and this run has it at {}; run both with the same `--base`",
                shown(recorded.base),
                shown(self.lowest_address())
            ));
        }
        let mut configuration = Configuration::parse(&recorded.text).map_err(|error| {
            format!("the configuration that its suite records cannot be read: {}", error.trim_end())
        })?;
        configuration.given =
            recorded.cells.iter().map(|cell| (cell.name.clone(), cell.values.clone())).collect();
        Ok(configuration)
    }

    fn replay_test(&self, world: &World<'_>, test: &TestCase) -> Result<ExecutionTrace, String> {
        let run = verify(&self.guest, &world.configuration, test);
        let (run, differences) = run.map_err(|error| error.to_string())?;
        if !differences.is_empty() {
            return Err(format!(
                "test {} does not run as recorded under the configuration of its suite: {}; run `everypath test` again",
                test.name,
                differences.join("; ")
            ));
        }
        let executed = trace(&self.guest, &world.configuration, test).map_err(|error| error.to_string())?;
        let executed: BTreeSet<u64> = executed.into_iter().map(|address| address.0).collect();
        let folder = world.folder.display().to_string();
        let file = world.folder.join(TESTS).join(format!("{}.json", test.name));
        let name = format!("{}/{}", folder.trim_end_matches('/'), test.name);
        let replayed = ReplayedTest {
            suite: folder,
            function: world.function.clone(),
            has_own_configuration: !world.is_own,
            directions: run.directions,
            executed,
        };
        let hash = fs::read(&file).map(|bytes| sha256_hexadecimal(&bytes)).unwrap_or_default();
        Ok(ExecutionTrace { name, hash, execution: RecordedExecution::Replayed(replayed) })
    }
}

/// The configuration of a suite, and what it is called.
struct World<'f> {
    folder: &'f Path,
    /// The function that it tests by itself.
    function: Option<String>,
    /// Whether it is that of this run.
    is_own: bool,
    configuration: Configuration,
}

/// The folder of the suite that a file is a test of.
fn suite_of(file: &Path) -> Option<&Path> {
    let tests = file.parent().filter(|_| file.extension().is_some_and(|extension| extension == "json"))?;
    let folder = tests.parent().filter(|_| tests.file_name().is_some_and(|name| name == TESTS))?;
    // The folder of a file that is named `tests/0001.json` is this one.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.join(SUMMARY).is_file().then_some(folder)
}
