//! `cargo xtask`: the developer tasks from the command line.

use clap::{Parser, Subcommand};
use std::path::Path;
use std::process::{Command, ExitCode};

/// Developer tasks of Everypath.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Checks the rules that the compiler does not: layering, names, sizes, test data, documentation.
    Tidy,
    /// Follows every link of the guide, and renders it as a book.
    Book {
        /// The folder for the book.
        #[arg(short, long, value_name = "DIR", default_value = "target/book")]
        output: std::path::PathBuf,
    },
    /// Writes the reference pages of the guide from the types and the help of the command.
    Reference {
        /// The command whose help is written; built if it is not given.
        #[arg(long, value_name = "FILE")]
        everypath: Option<std::path::PathBuf>,
    },
    /// Lists the checks that the last `cargo nextest run` skipped, each with the missing program.
    Skipped,
    /// Builds a Debian package; run with `--release`.
    Dist {
        /// The command to pack; built if it is not given.
        #[arg(long, value_name = "FILE")]
        everypath: Option<std::path::PathBuf>,
        /// The folder for the package.
        #[arg(long, default_value = "target/dist")]
        output: std::path::PathBuf,
        /// Install it in a clean system, made by debootstrap, and generate a suite there; needs root.
        #[arg(long)]
        check: bool,
    },
    /// Holds the decoder against the reference: real programs, and random words of each architecture.
    Sweep {
        /// Only the beginning of each program and few words: for every change.
        #[arg(long)]
        cut: bool,
        /// Only this architecture.
        #[arg(long)]
        architecture: Option<String>,
        /// How many random words of each architecture; 1000000, or 20000 with --cut, if not said.
        #[arg(long)]
        words: Option<usize>,
        /// Seed of the random words.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Holds the machine against independent executors, instruction by instruction.
    Conform {
        /// Only these: the names of files in tests/conform.
        architectures: Vec<String>,
        /// At most twenty seconds for each: for every change.
        #[arg(long)]
        cut: bool,
        /// How many cases are compared for each.
        #[arg(long, default_value_t = 200_000)]
        count: u64,
        /// Seed of all random choices.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Also list the forms that are not covered, each with the reason.
        #[arg(long)]
        uncovered: bool,
        /// Whole programs in place of random instructions.
        #[arg(long, conflicts_with = "record")]
        programs: bool,
        /// Record the counts, by mnemonic, in architectures/<name>/conformance.toml.
        #[arg(long)]
        record: bool,
        /// Only count the vectors and record them; compare nothing.
        #[arg(long, requires = "record")]
        vectors: bool,
    },
    /// Holds the recovered graphs of stripped programs against their symbols and another disassembler.
    GroundTruth {
        /// Programs with symbols; those of tests/ground-truth/list.toml, if none is given.
        files: Vec<std::path::PathBuf>,
        /// Prefix of the binutils (`strip`, `objdump`) for the processor of the files, such as arm-linux-gnueabihf-.
        #[arg(long, default_value = "")]
        prefix: String,
        /// Print everything that differs.
        #[arg(long)]
        remarks: bool,
        /// Only one program for each of two processors: for every change.
        #[arg(long)]
        cut: bool,
        /// A Python that has angr, whose graph is compared too.
        #[arg(long)]
        python: Option<std::path::PathBuf>,
    },
    /// Holds the recovered graphs and values of real programs against what they execute under an emulator.
    Traces {
        /// Only these: names of tests/traces/list.toml.
        programs: Vec<String>,
        /// At most two minutes: for every change.
        #[arg(long)]
        cut: bool,
        /// Compare values of registers as well, in single steps.
        #[arg(long)]
        values: bool,
        /// Print everything that differs.
        #[arg(long)]
        remarks: bool,
        /// How many single steps of each command line are compared.
        #[arg(long)]
        steps: Option<u64>,
        /// The program whose answers are compared; `everypath` is built if none is given.
        #[arg(long)]
        everypath: Option<std::path::PathBuf>,
        /// Plant the faults of tests/traces/faults.toml one at a time instead, and see that each is noticed.
        #[arg(long)]
        faults: bool,
    },
    /// Tries every input of random small programs on independent executors, against the claims of `everypath test`.
    Adversary {
        /// Only these: names of tests/adversary/targets.toml.
        targets: Vec<String>,
        /// How many programs for each target, at its levels in turn.
        #[arg(long, default_value_t = 100)]
        count: u64,
        /// The first seed; each program has its own.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Only these optimisation levels, such as -O2.
        #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
        levels: Vec<String>,
        /// Do not explore each program a second time with a proof by abstraction: in the same time, twice as many programs.
        #[arg(long)]
        without_proofs: bool,
        /// Reduce failing programs, and keep each as a folder in this one.
        #[arg(long, value_name = "DIR")]
        keep: Option<std::path::PathBuf>,
        /// How many failing programs of each kind and target are reduced.
        #[arg(long, default_value_t = 1)]
        reduced: usize,
        /// Stop after so many seconds.
        #[arg(long)]
        seconds: Option<u64>,
        /// The command under test; built if it is not given.
        #[arg(long, value_name = "FILE")]
        everypath: Option<std::path::PathBuf>,
        /// Plant the faults of tests/adversary/planted.toml in a copy of the project, one at a time, and say which are caught.
        #[arg(long)]
        planted: bool,
        /// Only planted faults with this in their name.
        #[arg(long, value_name = "TEXT")]
        fault: Option<String>,
        /// At most three minutes on two processors, over all targets: for every change.
        #[arg(long)]
        cut: bool,
    },
    /// Runs generated tests on independent executors, by exported scripts.
    Confirm {
        /// Only these: names of tests/confirm/list.toml.
        targets: Vec<String>,
        /// Only some of the guests: for every change.
        #[arg(long)]
        cut: bool,
    },
    /// Measures speed, in an optimised build.
    #[command(subcommand)]
    Bench(Bench),
    /// Answers a request on standard input as the reference decoder, which may kill this process.
    #[command(hide = true)]
    ReferenceDecoder,
    /// Compares the layered solver with its bare backend, and each layer alone, on the questions of explorations.
    Queries {
        /// How many questions.
        #[arg(long, default_value_t = 20_000)]
        count: u64,
        /// How many of them one program asks at most.
        #[arg(long, default_value_t = 4_000)]
        each: u64,
    },
    /// Runs the fuzz targets, two at a time, and prints what they found.
    Fuzz {
        /// How long each target runs, in seconds.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Only this target of fuzz/Cargo.toml.
        #[arg(long)]
        target: Option<String>,
    },
}

#[derive(Subcommand)]
enum Bench {
    /// How many instructions a second are decoded to p-code, against the reference.
    Decode {
        /// The program whose code is decoded, by its name in tests/sweep/list.toml.
        #[arg(long, default_value = "bash")]
        program: String,
        /// How many times each is measured, in turns.
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        rounds: u32,
    },
    /// How many instructions a second the machine interprets, beside native and emulated execution.
    Run {
        /// How many times it is measured.
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
        rounds: u32,
    },
    /// How long the solver stack takes, beside bare SMT solvers by pipe.
    Solve {
        /// How many seconds each hard question may take.
        #[arg(long, default_value_t = 20)]
        seconds: u64,
        /// Only this part: small, hard, or many.
        #[arg(long)]
        part: Option<String>,
        /// Only hard questions with this in their name.
        #[arg(long)]
        family: Option<String>,
        /// Without the other solvers, and so without the bars.
        #[arg(long)]
        alone: bool,
    },
    /// Measures the cost of the value-set analysis against the size of a program.
    Values {
        /// Programs, from the smallest; some that most machines have, if none is given.
        files: Vec<std::path::PathBuf>,
        /// Only the figures of one program.
        #[arg(long, hide = true)]
        alone: bool,
    },
    /// How much memory a run takes in which nearly every value depends on input.
    Memory {
        /// How many kilobytes are hashed.
        #[arg(long, default_value_t = 64)]
        kilobytes: u32,
    },
    /// How much CPU time all paths of the classic guests take, beside angr on the same binaries.
    Angr {
        /// A Python that has angr.
        #[arg(long, default_value = "python3")]
        python: std::path::PathBuf,
        /// Only this guest.
        #[arg(long)]
        guest: Option<String>,
        /// How many seconds each may take.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// Explores the firmware images of a suite without a configuration: with a list of goals, such as the unit tests of P2IM, or
    /// with a list of basic blocks for each image.
    Firmware {
        /// The folder of the suite, with `groundtruth.csv`, or with `valid_basic_blocks.txt` beside each image.
        #[arg(long, value_name = "DIR")]
        suite: std::path::PathBuf,
        /// Only images with this in their name.
        #[arg(long, value_name = "TEXT")]
        image: Option<String>,
        /// Time limit of each exploration in seconds.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// The command under test; built if it is not given.
        #[arg(long, value_name = "FILE")]
        everypath: Option<std::path::PathBuf>,
    },
    /// Explores real C modules from Debian source packages at growing input lengths: verdicts, cost, native coverage.
    Modules {
        /// The folder in which `apt-get source` has unpacked the packages of tests/modules/list.toml.
        #[arg(long, value_name = "DIR", default_value = "target/modules")]
        sources: std::path::PathBuf,
        /// Only this module.
        #[arg(long, value_name = "NAME")]
        module: Option<String>,
        /// Only this target of tests/modules/list.toml.
        #[arg(long, value_name = "NAME")]
        target: Option<String>,
        /// The numbers of input bytes.
        #[arg(long, value_delimiter = ',', default_value = "4,8,16,32,64", value_parser = clap::value_parser!(u32).range(1..))]
        bytes: Vec<u32>,
        /// Time limit of each exploration in seconds.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// The search strategy.
        #[arg(long, default_value = "portfolio")]
        strategy: String,
        /// Try proofs by abstraction.
        #[arg(long)]
        prove: bool,
        /// Print a Markdown table.
        #[arg(long)]
        table: bool,
        /// Only the figures of one row, as JSON.
        #[arg(long, hide = true)]
        alone: bool,
    },
    /// How long the classic guests take to explore, on every target that has a compiler here.
    Osmose {
        /// Only this target.
        #[arg(long)]
        target: Option<String>,
        /// Only this guest.
        #[arg(long)]
        guest: Option<String>,
        /// How many seconds each may take.
        #[arg(long, default_value_t = 20)]
        seconds: u64,
    },
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let (name, result) = match Arguments::parse().task {
        Task::Tidy => ("tidy", tidy(root)),
        Task::Dist { everypath, output, check } => {
            let options = xtask::dist::Options { everypath, output, check };
            ("dist", xtask::dist::run(root, &options).map(|()| true))
        }
        Task::Book { output } => ("book", xtask::book::run(root, &output)),
        Task::Reference { everypath } => ("reference", xtask::reference::run(root, everypath.as_deref())),
        Task::Skipped => ("skipped", xtask::skipped::run()),
        Task::Sweep { cut, architecture, words, seed } => {
            ("sweep", xtask::sweep::run(root, &xtask::sweep::Options { cut, architecture, words, seed }))
        }
        Task::Conform { vectors: true, .. } => ("conform", xtask::conform::record_vectors(root)),
        Task::Conform { architectures, cut, count, seed, uncovered, programs, record, .. } => {
            let options = xtask::conform::Options { architectures, cut, count, seed, uncovered, record };
            let compare = if programs { xtask::conform::run_programs } else { xtask::conform::run };
            ("conform", compare(root, &options))
        }
        Task::GroundTruth { files, prefix, remarks, cut, python } => {
            let options = xtask::ground_truth::Options { files, prefix, remarks, cut, python };
            ("ground-truth", xtask::ground_truth::run(root, &options))
        }
        Task::Traces { programs, cut, values, remarks, steps, everypath, faults } => {
            let options = xtask::traces::Options { programs, cut, values, remarks, steps, everypath };
            let compare = if faults { xtask::traces::run_with_faults } else { xtask::traces::run };
            ("traces", compare(root, &options))
        }
        Task::Adversary {
            targets,
            count,
            seed,
            levels,
            without_proofs,
            keep,
            reduced,
            seconds,
            everypath,
            planted,
            fault,
            cut,
        } => {
            let (count, seconds) = if cut { (25, Some(170)) } else { (count, seconds) };
            let proofs = !without_proofs;
            let options = xtask::adversary::Options {
                targets,
                count,
                seed,
                levels,
                proofs,
                keep,
                reduced,
                everypath,
                seconds,
            };
            let result = if planted {
                xtask::adversary::attack_planted(root, &options, fault.as_deref())
            } else {
                xtask::adversary::run(root, &options)
            };
            ("adversary", result)
        }
        Task::Confirm { targets, cut } => {
            let options = xtask::conform::GeneratedOptions { targets, cut };
            ("confirm", xtask::conform::run_generated(root, &options))
        }
        Task::Bench(_) if cfg!(debug_assertions) => ("bench", again_in_release(root)),
        Task::Bench(Bench::Decode { program, rounds }) => {
            ("bench", xtask::bench::decode(root, &xtask::bench::Options { program, rounds }))
        }
        Task::Bench(Bench::Run { rounds }) => ("bench", xtask::bench::interpret(root, rounds)),
        Task::Bench(Bench::Solve { seconds, part, family, alone }) => {
            let options = xtask::bench::SolveOptions { part, seconds, family, alone };
            ("bench", xtask::bench::solve(&options))
        }
        Task::Queries { count, each } => {
            ("queries", xtask::queries::run(root, &xtask::queries::Options { count, each }))
        }
        Task::Bench(Bench::Values { files, alone }) => ("bench", xtask::bench::values(&files, alone)),
        Task::Bench(Bench::Memory { kilobytes }) => ("bench", xtask::bench::memory(root, kilobytes)),
        Task::Bench(Bench::Angr { python, guest, seconds }) => {
            ("bench", xtask::bench::angr(root, &python, guest.as_deref(), seconds))
        }
        Task::Bench(Bench::Firmware { suite, image, seconds, everypath }) => {
            let options = xtask::bench::FirmwareOptions { suite, image, seconds, everypath };
            ("bench", xtask::bench::firmware(root, &options))
        }
        Task::Bench(Bench::Modules {
            sources,
            module,
            target,
            bytes,
            seconds,
            strategy,
            prove,
            table,
            alone,
        }) => {
            let options = xtask::bench::ModuleOptions {
                sources,
                module,
                target,
                bytes,
                seconds,
                strategy,
                prove,
                table,
                alone,
            };
            ("bench", xtask::bench::modules(root, &options))
        }
        Task::Bench(Bench::Osmose { target, guest, seconds }) => {
            ("bench", xtask::bench::osmose(root, target.as_deref(), guest.as_deref(), seconds))
        }
        Task::ReferenceDecoder => return everypath_testkit::reference::answer_request(),
        Task::Fuzz { seconds, target } => {
            ("fuzz", xtask::fuzz::run(root, &xtask::fuzz::Options { seconds, target }))
        }
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{name}: {message}");
            ExitCode::from(2)
        }
    }
}

/// Runs the same command in an optimised build: figures of another build would be meaningless.
fn again_in_release(root: &Path) -> Result<bool, String> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(["run", "--release", "--bin", "xtask", "--"]);
    let status = cargo.args(std::env::args_os().skip(1)).status();
    status.map(|status| status.success()).map_err(|error| format!("cargo cannot be run: {error}"))
}

fn tidy(root: &Path) -> Result<bool, String> {
    let faults = xtask::tidy::run(root)?;
    for fault in &faults {
        println!("{fault}");
    }
    Ok(faults.is_empty())
}
