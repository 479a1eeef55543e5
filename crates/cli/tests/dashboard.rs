//! The dashboard of `everypath test --ui`, in a terminal of tmux: it shows the search, its keys steer it, and what was found
//! is kept.

mod workplace;

use everypath_testkit::programs::installed;
use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use workplace::Workplace;

/// Two functions, each of which reads a port thirty times and branches on it: more paths than can be run.
const GUEST: &[(usize, &[u8])] = &[
    // lcall 0x10; lcall 0x30; sjmp $
    (0x00, &[0x12, 0x00, 0x10, 0x12, 0x00, 0x30, 0x80, 0xfe]),
    // mov r7,#30; mov dptr,#5; again: movx a,@dptr; jz next; inc r6; next: djnz r7,again; ret
    (0x10, &[0x7f, 30, 0x90, 0x00, 0x05, 0xe0, 0x60, 0x01, 0x0e, 0xdf, 0xfa, 0x22]),
    (0x30, &[0x7f, 30, 0x90, 0x00, 0x05, 0xe0, 0x60, 0x01, 0x0e, 0xdf, 0xfa, 0x22]),
];
const CONFIGURATION: &str =
    "architecture = \"8051\"\n\n[[volatile]]\nname = \"port\"\nspace = \"EXTMEM\"\naddress = 5\nsize = 1\n";
/// The command; every path is wanted, so that the search does not end by itself.
const TEST: [&str; 10] =
    ["test", "guest", "--format", "raw", "--base", "0", "--criterion", "path", "--seconds", "300"];
/// The time for a change of the screen.
const PATIENCE: Duration = Duration::from_secs(60);

fn workplace() -> Workplace {
    let workplace = Workplace::new();
    let mut code = vec![0; 0x40];
    for (start, bytes) in GUEST {
        code[*start..start + bytes.len()].copy_from_slice(bytes);
    }
    fs::write(workplace.path().join("guest"), code).expect("a guest");
    fs::write(workplace.path().join("everypath.toml"), CONFIGURATION).expect("a configuration");
    workplace
}

/// A terminal with a shell in it.
struct Terminal<'w> {
    workplace: &'w Workplace,
}

impl Terminal<'_> {
    /// Runs a command in a new terminal of this size.
    fn run<'w>(workplace: &'w Workplace, command: &str, (width, height): (u16, u16)) -> Terminal<'w> {
        let terminal = Terminal { workplace };
        let size = [width, height].map(|size| size.to_string());
        // The shell stays, so that the screen after the end can be looked at.
        let command = format!("{command}; echo exit code $?; exec sleep 60");
        terminal.tmux(&["new-session", "-d", "-x", &size[0], "-y", &size[1], &command]);
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.arg("-f").arg("/dev/null").arg("-S").arg(self.workplace.path().join("tmux"));
        command.env("XDG_CACHE_HOME", self.workplace.path().join("user cache")).env_remove("TMUX");
        let output = command.current_dir(self.workplace.path()).args(arguments).output();
        output.expect("tmux runs")
    }

    fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p"]).stdout).into_owned()
    }

    /// Waits until the screen is as expected, and returns it.
    fn wait(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(started.elapsed() < PATIENCE, "{what}:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn wait_for(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn command() -> String {
    format!("'{}' {} --ui", env!("CARGO_BIN_EXE_everypath"), TEST.join(" "))
}

#[test]
fn keys_steer_the_search_and_its_suite_is_kept() {
    if !installed(&["tmux"]) {
        return;
    }
    let workplace = workplace();
    let terminal = Terminal::run(&workplace, &command(), (100, 30));
    terminal.wait("the search", |screen| screen.contains("searching") && screen.contains("sub_30"));
    terminal.press("?");
    terminal.wait_for("its pending branches first");
    terminal.press("Escape");
    terminal.press("f");
    terminal.wait_for("▲ sub_");
    terminal.press("Down");
    terminal.press("s");
    terminal.wait_for("▼ sub_");
    terminal.press("+");
    terminal.wait_for("of 360 s");
    terminal.press("p");
    terminal.wait_for("PAUSED");
    let paths = |screen: &str| {
        let line = screen.lines().find(|line| line.contains(" paths")).unwrap_or_default().to_owned();
        line.split_whitespace().rev().nth(1).unwrap_or_default().to_owned()
    };
    let paused = paths(&terminal.screen());
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(paths(&terminal.screen()), paused, "a search that is paused runs no path");
    terminal.press("p");
    terminal.wait("more paths", |screen| paths(screen) != paused);
    terminal.press("q");
    let end = terminal.wait_for("exit code 4");
    assert!(!end.contains("searching"), "the screen is restored:\n{end}");
    assert!(end.contains("tests in guest.tests"), "{end}");
    drop(terminal);

    let summary = fs::read_to_string(workplace.path().join("guest.tests/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    let assumptions = summary["assumptions"].as_array().expect("a list");
    let steered = assumptions.iter().filter(|one| one["kind"] == "steered");
    let steered: Vec<&str> = steered.filter_map(|one| one["message"].as_str()).collect();
    for expected in [" first;", " last;", "time limit of 360 s;"] {
        assert!(steered.iter().any(|message| message.contains(expected)), "{expected}: {steered:?}");
    }
    let reasons = summary["incomplete_reasons"].to_string();
    assert!(reasons.contains("interrupted by the user"), "{reasons}");
    let replay = workplace.run(&["replay", "guest", "guest.tests", "--format", "raw", "--base", "0"]);
    assert_eq!(replay.code, Some(0), "{replay:?}");
}

#[test]
fn an_interrupt_restores_a_small_terminal() {
    if !installed(&["tmux"]) {
        return;
    }
    let workplace = workplace();
    let terminal = Terminal::run(&workplace, &command(), (60, 20));
    terminal.wait("the search", |screen| screen.contains("searching") && screen.contains("sub_30"));
    terminal.press("C-c");
    let end = terminal.wait_for("exit code 4");
    assert!(!end.contains("searching") && end.contains("tests in guest.tests"), "{end}");
    terminal.press("x");
    assert!(workplace.path().join("guest.tests/summary.json").exists());
}

/// A terminal that is closed is a signal, and its input ends; the program must not wait for keys any more.
#[test]
fn a_closed_terminal_ends_the_search_and_the_suite_is_kept() {
    if !installed(&["tmux"]) {
        return;
    }
    let workplace = workplace();
    // The shell survives the terminal, to tell of the end.
    let command = format!("trap '' HUP; {}; echo $? > ended", command());
    let terminal = Terminal::run(&workplace, &command, (80, 24));
    terminal.wait("the search", |screen| screen.contains("searching") && screen.contains("sub_30"));
    drop(terminal);
    let started = Instant::now();
    while !workplace.path().join("ended").exists() {
        assert!(started.elapsed() < PATIENCE, "it goes on without a terminal");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(workplace.path().join("guest.tests/summary.json").exists());
}

#[test]
fn without_a_terminal_it_says_so() {
    let run = workplace().run(&[&TEST[..], &["--ui"]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert!(run.stderr.contains("`--ui` needs a terminal"), "{}", run.stderr);
}
