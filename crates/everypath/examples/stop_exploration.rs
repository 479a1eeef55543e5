//! Watches an exploration that would not end, and stops it after three tests.

use everypath::{Binary, Criterion, Discovery};
use std::error::Error;

/// A loop that waits for a sensor: `mov dptr,#5; wait: movx a,@dptr; cjne a,#42,wait; mov p1,#1; done: sjmp done`.
const FIRMWARE: [u8; 12] = [0x90, 0, 5, 0xe0, 0xb4, 42, 0xfc, 0x75, 0x90, 1, 0x80, 0xfe];

fn main() -> Result<(), Box<dyn Error>> {
    let binary = Binary::options().architecture("8051").raw(0).read(FIRMWARE)?;
    // Every number of rounds is another path, so that there is always one more to explore.
    let exploration = binary.explore().volatile_in("EXTMEM", "sensor", 5, 1).criterion(Criterion::Path);
    let mut running = exploration.start();
    let mut tests = 0;
    // Not `for`, which would borrow `running` to the end of the loop.
    while let Some(discovery) = running.next() {
        if let Discovery::Test(test) = discovery {
            println!("test {}: {} reads, {}", test.name, test.cells[0].values.len(), test.end);
            tests += 1;
            if tests == 3 {
                running.stop();
                break;
            }
        }
    }
    // The outcome has the tests up to the stop, and the reasons why it is not complete.
    let outcome = running.finish()?;
    println!("complete: {}, because: {:?}", outcome.summary().complete, outcome.summary().incomplete_reasons);
    Ok(())
}
