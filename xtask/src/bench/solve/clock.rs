//! CPU time of this process and of others: the only meaningful measure on a shared machine.

use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The CPU time of this process so far.
pub(super) fn own() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// The CPU time of another process so far, in hundredths of a second.
pub(super) fn of(process: u32) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The second field is the name in parentheses and may hold anything; user and system time are the 14th and 15th.
    let after = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 =
        after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

/// The CPU time of children that have exited and been waited for.
pub(super) fn of_children() -> Duration {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN);
    usage.map_or(Duration::ZERO, |usage| {
        let time = |value: nix::sys::time::TimeVal| {
            Duration::new(value.tv_sec().unsigned_abs(), value.tv_usec().unsigned_abs() as u32 * 1000)
        };
        time(usage.user_time()) + time(usage.system_time())
    })
}
