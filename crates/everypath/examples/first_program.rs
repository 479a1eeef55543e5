//! Prints which input takes which branch of a firmware image: the program of the guide's tutorial on the library.

use everypath::{Binary, Verdict};
use std::error::Error;

/// Intel HEX of an 8051 program: `mov dptr,#5; movx a,@dptr; cjne a,#42,done; mov p1,#1; done: sjmp done`.
const FIRMWARE: &str = ":0C000000900005E0B42A0375900180FE1A\n:00000001FF\n";

fn main() -> Result<(), Box<dyn Error>> {
    let binary = Binary::options().architecture("8051").read(FIRMWARE)?;
    // A byte of external memory is the sensor: each read may give another value.
    let outcome = binary.explore().volatile_in("EXTMEM", "sensor", 5, 1).seconds(60).run()?;
    for test in outcome.tests() {
        println!("test {}: sensor = {:?}; {}", test.name, test.cells[0].values, test.end);
    }
    for judged in outcome.verdicts() {
        match &judged.verdict {
            Verdict::Covered { test, .. } => println!("{}: covered by {test}", judged.direction),
            Verdict::Infeasible { evidence, .. } => println!("{}: infeasible, {evidence}", judged.direction),
            other => println!("{}: {other:?}", judged.direction),
        }
    }
    println!("every path was explored: {}", outcome.summary().complete);
    Ok(())
}
