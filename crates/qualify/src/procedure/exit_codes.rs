//! Exit codes: each says how the command ended.

use super::ProgramCheck;
use crate::qualification::CheckResult;

/// The exit codes of `everypath test` on a program, of wrong input, and of a wrong command line.
pub(super) fn check(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let expected = check.program.expected.exit_code;
    let explored = check.explore(&[], "tests", result)?;
    let mut compare = |what: &str, code: Option<i32>, wanted: i32| {
        if code != Some(wanted) {
            result.faults.push(format!("{what}: the exit code is {code:?}, expected {wanted}"));
        }
    };
    compare("the program", Some(explored.code), expected);
    let place = check.place()?;
    let missing = check.arguments("test", &format!("{place}/missing"));
    let wrong = vec!["test".to_owned(), format!("{place}/image.bin"), "--no-such-flag".to_owned()];
    let runs = [("a file that is missing", missing, 1), ("a flag that is unknown", wrong, 2)];
    for (what, arguments, wanted) in runs {
        let run = check.workplace.run(&arguments);
        compare(what, run.code, wanted);
        result.commands.push(run.line);
    }
    result.observed = format!("{expected} of the program, 1 of a missing file, 2 of an unknown flag");
    Ok(())
}
