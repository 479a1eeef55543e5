//! A page of documentation that is followed to the letter: its files are written and its commands run, in order, by one
//! shell in an empty folder, and what they print is compared with what the page shows.
//!
//! - A block ```` ```console ```` has commands, which begin with `$ `, each followed by what it prints on either stream. A line
//!   `...` stands for any number of lines. A command that ends with another exit code than 0 is followed by `$ echo $?`.
//! - Another block is a file if the line before it ends with its name in backticks and a colon.
//! - A line that begins with `Needs` names the programs, in backticks, without which the page is skipped.
//! - Lines of progress (`12 s, ...`), which long runs print, are left out of the comparison.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

/// The delimiter that the shell prints on both sides of the exit code of each command.
const MARK: char = '\u{1}';
/// The last line of a file in the script of the shell.
const END_OF_FILE: &str = "END OF FILE OF THE PAGE";

/// A page, read.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The programs that it needs.
    pub(crate) needs: Vec<String>,
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    File { name: String, text: String },
    Command { text: String, expected: Vec<String>, lines: Range<usize> },
}

/// A command whose output differs from the one that the page shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The command.
    pub(crate) command: String,
    /// Its actual output.
    pub(crate) printed: String,
    /// Its exit code, if that is not 0 and the page does not show it.
    pub(crate) code: Option<String>,
    /// The lines of the page that show what it should print.
    lines: Range<usize>,
}

impl Page {
    /// Reads a page.
    pub(crate) fn parse(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut page = Self::default();
        let (mut at, mut before) = (0, "");
        while at < lines.len() {
            let line = lines[at];
            at += 1;
            if line.starts_with("Needs ") {
                page.needs.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
            }
            if let Some(language) = line.strip_prefix("```") {
                let length = lines[at..].iter().position(|line| *line == "```").expect("a block has an end");
                let block = at..at + length;
                at = block.end + 1;
                page.read_block(language, before, &lines, block);
            }
            if !line.trim().is_empty() {
                before = line;
            }
        }
        page
    }

    fn read_block(&mut self, language: &str, before: &str, lines: &[&str], block: Range<usize>) {
        if language != "console" {
            let name = before.strip_suffix("`:").and_then(|line| line.rsplit_once('`'));
            let text = lines[block].iter().map(|line| format!("{line}\n")).collect();
            self.steps.extend(name.map(|(_, name)| Step::File { name: name.to_owned(), text }));
            return;
        }
        for at in block {
            match (lines[at].strip_prefix("$ "), self.steps.last_mut()) {
                (Some(command), _) => {
                    let text = command.to_owned();
                    self.steps.push(Step::Command { text, expected: Vec::new(), lines: at + 1..at + 1 });
                }
                (None, Some(Step::Command { expected, lines: range, .. })) if range.end == at => {
                    expected.push(lines[at].to_owned());
                    range.end += 1;
                }
                (None, _) => panic!("line {}: output without a command", at + 1),
            }
        }
    }

    /// The files that it has the reader save, with their names.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.steps.iter().filter_map(|step| match step {
            Step::File { name, text } => Some((name.as_str(), text.as_str())),
            Step::Command { .. } => None,
        })
    }

    /// The script that does what the page says. A command finds the exit code of the one before in `$?`.
    fn script(&self) -> String {
        let mut script = "exec 2>&1\n".to_owned();
        for step in &self.steps {
            let _ = match step {
                Step::File { name, text } => writeln!(
                    script,
                    "mkdir -p \"$(dirname '{name}')\" && cat > '{name}' << '{END_OF_FILE}'\n{text}{END_OF_FILE}"
                ),
                Step::Command { text, .. } => writeln!(
                    script,
                    "{text}\ncode_of_command=$?; printf '\\n\\001%s\\001\\n' $code_of_command; (exit $code_of_command)"
                ),
            };
        }
        script
    }

    /// Follows the page in a folder, with the programs of another folder before all others.
    pub(crate) fn follow(&self, folder: &Path, programs: &Path) -> Vec<Difference> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = [programs.to_owned()].into_iter().chain(std::env::split_paths(&path));
        let mut shell = Command::new("bash");
        shell.arg("-c").arg(self.script()).current_dir(folder).stdin(Stdio::null()).env("LC_ALL", "C.UTF-8");
        shell.env("PATH", std::env::join_paths(path).expect("a search path"));
        shell.env("XDG_CACHE_HOME", folder.join("user cache"));
        let output = shell.output().expect("a shell");
        self.compare(&String::from_utf8_lossy(&output.stdout))
    }

    fn compare(&self, printed: &str) -> Vec<Difference> {
        let mut results = printed.split(MARK);
        let mut differences = Vec::new();
        let commands = self.steps.iter().filter_map(|step| match step {
            Step::Command { text, expected, lines } => Some((text, expected, lines)),
            Step::File { .. } => None,
        });
        let mut commands = commands.peekable();
        while let Some((text, expected, lines)) = commands.next() {
            let printed = results.next().unwrap_or_default();
            let code = results.next().unwrap_or("no exit code");
            let printed = printed.strip_prefix('\n').unwrap_or(printed);
            let printed = printed.strip_suffix('\n').unwrap_or(printed).trim_end_matches('\n');
            let shown: Vec<&str> = printed.lines().filter(|line| !is_progress(line)).collect();
            let is_code_shown = commands.peek().is_some_and(|(next, ..)| *next == "echo $?");
            let code = Some(code.to_owned()).filter(|code| code != "0" && !is_code_shown);
            if code.is_some() || !matches(expected, &shown) {
                let printed = shown.join("\n");
                differences.push(Difference { command: text.clone(), printed, code, lines: lines.clone() });
            }
        }
        differences
    }
}

/// The page with what was printed in place of what it shows.
pub(crate) fn corrected(text: &str, differences: &[Difference]) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    for difference in differences.iter().rev() {
        lines.splice(difference.lines.clone(), difference.printed.lines());
    }
    lines.join("\n") + "\n"
}

/// Whether a line reports the progress of a long run: `12 s, 3 of 4 branch directions, ...`.
fn is_progress(line: &str) -> bool {
    line.split_once(" s, ").is_some_and(|(seconds, _)| seconds.parse::<u64>().is_ok())
}

/// Whether lines are those that a page shows, in which `...` stands for any.
fn matches(expected: &[String], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| first.trim_end() == line.trim_end() && matches(rest, others)),
    }
}
