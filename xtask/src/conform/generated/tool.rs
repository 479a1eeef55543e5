//! Runs a script with its tool.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Runs a simulator that reads the script itself; returns its output.
///
/// # Errors
/// If it cannot be run.
pub(super) fn simulate(command: &str, arguments: &[String], script: &Path) -> Result<String, String> {
    let run = Command::new(command).args(arguments).arg(script).stdin(Stdio::null()).output();
    let run = run.map_err(|error| format!("{command}: {error}"))?;
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}

/// Runs a shell script that runs a simulator and compares; returns whether it succeeds.
///
/// # Errors
/// If it cannot be run.
pub(super) fn checks(command: &str, arguments: &[String], script: &Path) -> Result<bool, String> {
    // The last argument announces a script, and the shell script adds it itself.
    let arguments = arguments.strip_suffix(&["-C".to_owned()]).unwrap_or(arguments);
    let run = Command::new("sh").arg(script).arg(command).args(arguments).stdin(Stdio::null()).output();
    let run = run.map_err(|error| format!("sh: {error}"))?;
    Ok(run.status.success())
}

/// The debugger.
const DEBUGGER: &str = "gdb-multiarch";

/// The time that an emulator gets until it listens.
const START: Duration = Duration::from_millis(500);

/// Runs an emulator with the GNU debugger; returns the debugger's output.
///
/// # Errors
/// If one of them cannot be run, or the debugger does not reach the end of the script.
pub(super) fn debug(
    command: &str,
    arguments: &[String],
    program: &Path,
    script: &Path,
) -> Result<String, String> {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = free.map_err(|error| format!("no free port: {error}"))?.port();
    let emulator = Command::new(command)
        .args(arguments)
        .args(["-g", &port.to_string()])
        .arg(program)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut emulator = emulator.map_err(|error| format!("{command}: {error}"))?;
    std::thread::sleep(START);
    let run = Command::new(DEBUGGER)
        .args(["-q", "-nx", "-batch", "-ex"])
        .arg(format!("target remote localhost:{port}"))
        .arg("-x")
        .arg(script)
        .stdin(Stdio::null())
        .output();
    // It has exited with the script, unless that failed.
    let _ = emulator.kill();
    let _ = emulator.wait();
    let run = run.map_err(|error| format!("{DEBUGGER}: {error}; the Debian package {DEBUGGER} has it"))?;
    let (printed, said) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    if !run.status.success() || said.contains("Error in sourced command file") {
        return Err(format!("{DEBUGGER}: {}", said.trim()));
    }
    Ok(printed.into_owned())
}
