//! Explores a firmware image, prints its tests while it runs, and writes the suite.

use everypath::{Binary, Discovery};
use std::error::Error;

/// Intel HEX of an 8051 program: `mov dptr,#5; movx a,@dptr; cjne a,#42,done; mov p1,#1; done: sjmp done`.
const FIRMWARE: &str = ":0C000000900005E0B42A0375900180FE1A\n:00000001FF\n";

fn main() -> Result<(), Box<dyn Error>> {
    let binary = Binary::options().architecture("8051").read(FIRMWARE)?;
    // The sensor is a memory-mapped register: each read may give another value.
    let exploration = binary.explore().volatile_in("EXTMEM", "sensor", 5, 1).seed(1).seconds(60);
    let mut running = exploration.start();
    for discovery in &mut running {
        match discovery {
            Discovery::Test(test) => println!("sensor = {:?}: {}", test.cells[0].values, test.end),
            Discovery::Finding(finding) => println!("fault at {}: {}", finding.address, finding.message),
            Discovery::Verdict(judged) => println!("{}: {:?}", judged.direction, judged.verdict),
            _ => {}
        }
    }
    let outcome = running.finish()?;
    println!("{} tests, complete: {}", outcome.tests().len(), outcome.summary().complete);
    if let Some(folder) = std::env::args().nth(1) {
        outcome.write(folder)?;
    }
    Ok(())
}
