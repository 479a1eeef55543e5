//! The script that runs the tests of a Linux program on the real system, in a sandbox.

use everypath_environment::{
    Argument, EnvironmentVariable, FileInput, LinuxSettings, argument_name, file_name, variable_name,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The lines of the script by which it refuses to change files of the system.
const FILES_NEED_SANDBOX: &str = r#"
    echo "the tests have files at absolute paths, or write to some, which needs a sandbox" >&2; exit 2"#;

/// The folder that systems give every process for its files.
const TEMPORARY: &str = "/tmp/";

/// How the script puts the files of a test at their paths.
struct PlacedFiles {
    /// The commands that copy those with relative paths to the folder in which the program runs.
    copies: String,
    /// The arguments by which the sandbox shows the others, and lets the program write.
    binds: String,
    /// Whether files are at absolute paths.
    has_absolute: bool,
}

fn placed_files(files: &[FileInput], written: &BTreeSet<String>) -> PlacedFiles {
    let (mut copies, mut binds) = (String::new(), String::new());
    let is_absolute = |path: &str| path.starts_with('/');
    let has_absolute =
        files.iter().any(|file| is_absolute(&file.path)) || written.iter().any(|path| is_absolute(path));
    if written.iter().any(|path| path.starts_with(TEMPORARY)) {
        binds.push_str(" --tmpfs /tmp --ro-bind \"$program\" \"$program\"");
    }
    let has_own_folder = !files.iter().all(|file| is_absolute(&file.path)) || !written.is_empty();
    if has_own_folder {
        copies.push_str("    rm -rf \"$work\"; mkdir \"$work\"; cd \"$work\" || exit 2\n");
        binds.push_str(" --bind \"$work\" \"$work\"");
    }
    for file in files {
        let (path, name) = (quoted(&file.path), file_name(&file.path));
        let name = quoted(&name);
        if is_absolute(&file.path) {
            let _ = write!(binds, " --ro-bind \"$test\"/{name} {path}");
        } else {
            let _ = writeln!(
                copies,
                "    mkdir -p \"$work/$(dirname {path})\"; cp \"$test\"/{name} \"$work\"/{path}"
            );
        }
    }
    PlacedFiles { copies, binds, has_absolute }
}

/// The script that runs the tests. `written` are the paths of files that the program writes: from the root on, or in its folder.
pub(super) fn script(settings: &LinuxSettings, written: &BTreeSet<String>) -> String {
    // A shell removes newlines from the end of what it substitutes; a last character keeps them.
    let mut texts = String::new();
    let mut with_text = |name: String, start: &str| {
        let shell = format!("input_{}", texts.lines().count());
        let _ = writeln!(texts, "    {shell}=$(cat \"$test/{name}\"; echo .); {shell}=${{{shell}%.}}");
        format!("{}\"${shell}\"", quoted(start))
    };
    let mut command = String::from("env -i");
    for variable in &settings.environment {
        let word = match variable {
            EnvironmentVariable::Text(text) => quoted(text),
            EnvironmentVariable::Input(input) => {
                with_text(variable_name(&input.name), &format!("{}=", input.name))
            }
        };
        let _ = write!(command, " {word}");
    }
    command.push_str(" \"$program\"");
    for (number, argument) in (1..).zip(&settings.arguments) {
        let word = match argument {
            Argument::Text(text) => quoted(text),
            Argument::Input(_) => with_text(argument_name(number), ""),
        };
        let _ = write!(command, " {word}");
    }
    let PlacedFiles { copies, binds, has_absolute } = placed_files(&settings.files, written);
    let without = if has_absolute { FILES_NEED_SANDBOX } else { "" };
    format!(
        r#"#!/bin/sh
# Runs the tests on this machine, in a sandbox of bubblewrap: the program sees a read-only system without a network.
case "$#,$2" in
1, | 2,--without-sandbox) ;;
*) echo "usage: sh run.sh PROGRAM [--without-sandbox]" >&2; exit 2 ;;
esac
umask 022
program=$(realpath "$1")
folder=$(dirname "$(realpath "$0")")
sandbox=
if [ $# = 2 ]; then
    :{without}
else
    command -v bwrap >/dev/null || {{
        echo "bubblewrap (bwrap) is not installed; without a sandbox: sh run.sh PROGRAM --without-sandbox" >&2; exit 2
    }}
    sandbox="bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --tmpfs /proc --tmpfs /sys"
fi
run() {{
    if [ "$sandbox" ]; then $sandbox{binds} {command}; else {command}; fi
}}
output=$(mktemp)
ended=$(mktemp)
work=$(mktemp -d)
failed=0
for test in "$folder"/*/; do
    name=$(basename "$test")
{texts}{copies}    # The standard input, output and error are pipes, as the model assumes.
    cat "$test/stdin" 2>/dev/null | {{
        {{ run 2>&1 >&3 3>&-; echo $? >"$ended"; }} | cat >/dev/null
    }} 3>&1 | cat >"$output"
    status=$(cat "$ended")
    if [ -f "$test/status" ] && [ "$status" != "$(cat "$test/status")" ]; then
        echo "$name: status $status, and not $(cat "$test/status")"
        failed=$((failed + 1))
    elif ! cmp -s "$output" "$test/stdout"; then
        echo "$name: it writes something else"
        failed=$((failed + 1))
    fi
done
cd /
rm -rf "$output" "$ended" "$work"
echo "$failed tests failed"
[ "$failed" = 0 ]
"#
    )
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
