//! An oracle of your own: reports firmware that restarts itself by a jump to the reset vector.

use everypath::Binary;
use everypath::ir::ExitKind;
use everypath::oracle::{BlockObservation, Definition, Oracle, OracleReport};
use std::error::Error;

/// `mov dptr,#5; movx a,@dptr; cjne a,#42,done; ljmp 0; done: sjmp done`.
const FIRMWARE: [u8; 12] = [0x90, 0, 5, 0xe0, 0xb4, 42, 3, 0x02, 0, 0, 0x80, 0xfe];

const RESTART: Definition = Definition {
    name: "restart",
    about: "the program jumps to its reset vector",
    make: |_| Box::new(Restart),
};

/// It has no state, so a fork of a path needs nothing but another one.
struct Restart;

impl Oracle for Restart {
    fn fork(&self) -> Box<dyn Oracle> {
        Box::new(Restart)
    }

    fn observe(&mut self, observation: &mut BlockObservation<'_>, reports: &mut Vec<OracleReport>) {
        if observation.exit.is_some_and(|exit| exit.kind == ExitKind::Jump && exit.target == 0) {
            let (address, what) = (observation.last_instruction(), "restart".to_owned());
            reports.push(OracleReport::Violation { address, what, astray: false });
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let binary = Binary::options().architecture("8051").raw(0).read(FIRMWARE)?;
    let outcome = binary.explore().volatile_in("EXTMEM", "sensor", 5, 1).own_oracle(RESTART).run()?;
    for finding in outcome.findings() {
        println!("{}: {} at {}, test {}", finding.oracle, finding.message, finding.address, finding.test);
    }
    Ok(())
}
