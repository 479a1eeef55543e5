//! The classic guests, compiled by real compilers.

use everypath_environment::{Configuration, Guest};
use everypath_explore::{Criterion, Explorer, Plan, Quiet};
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use everypath_solve::{
    Answer, Constant, Enumerate, Guess, Invert, Limits, Query, Reason, Slice, Solver, Statistics,
};
use everypath_term::Terms;
use std::path::Path;
use std::process::Command;

struct Bottom(u64);
impl Solver for Bottom {
    fn check(&mut self, _: &mut Terms, _: Query<'_>, _: &Limits) -> Answer {
        self.0 += 1;
        Answer::Unknown(Reason::GaveUp("bottom".into()))
    }
    fn statistics(&self, list: &mut Vec<Statistics>) {
        list.push(Statistics { name: "bottom", asked: self.0, answered: 0 });
    }
}

fn stack() -> Box<dyn Solver> {
    let b: Box<dyn Solver> = Box::new(Bottom(0));
    Box::new(Constant::new(Box::new(Slice::new(Box::new(Guess::new(Box::new(Enumerate::new(Box::new(
        Invert::new(b),
    )))))))))
}

fn run(guest: &str) {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/guests/classic/{guest}.c"));
    let file = folder.path().join("guest");
    let run = Command::new("powerpc-linux-gnu-gcc")
        .args(["-O0", "-g", "-ffreestanding", "-nostdlib", "-static", "-DVOL", "-Wl,-e,main", "-o"])
        .args([&file, &source])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let image = Image::read(std::fs::read(&file).unwrap(), &ReadOptions::default()).unwrap();
    let architecture = Library::built_in().load("powerpc").unwrap();
    let guest = Guest::new(architecture, image).unwrap();
    let mut text = String::from(
        "entry = \"main\"\n[registers]\nr1 = 0x7fff0000\n[[memory]]\nname='stack'\nstart=0x7ff00000\nsize=0x100000\naccess='rw'\n",
    );
    for cell in ["in_i32", "in_u8"] {
        text.push_str(&format!("[[volatile]]\nname='{cell}'\n"));
    }
    let configuration = Configuration::parse(&text).unwrap();
    let plan =
        Plan { criterion: Criterion::Path, paths: 5000, path_instructions: 100_000, ..Plan::default() };
    let start = std::time::Instant::now();
    let found = Explorer::new(&guest, &configuration, plan, stack()).unwrap().run(&mut Quiet);
    println!(
        "{:?} paths {} complete {} tests {} directions {} covered {} counts {:?}",
        start.elapsed(),
        found.paths,
        found.complete,
        found.tests.len(),
        found.directions.len(),
        found
            .directions
            .iter()
            .filter(|d| matches!(d.verdict, everypath_record::Verdict::Covered { .. }))
            .count(),
        found.counts
    );
    println!("{:?}", found.solver);
    println!("{:?} {:?} {:?}", found.incomplete_because, found.divergences, found.findings);
    for d in &found.directions {
        println!("  {} {:?}", d.direction, d.verdict);
    }
}

#[test]
fn triangle() {
    run(&std::env::var("GUEST").unwrap_or("triangle".into()));
}
