//! The system calls: a table of small functions.
//!
//! A call that is not in the table ends the path as unmodelled, as does a use of one that its function does not model: no call
//! succeeds silently.

// All calls have one type, also those that never fail.
#![allow(clippy::unnecessary_wraps)]

mod context;
mod control;
mod descriptors;
mod identity;
mod mapped;
mod memory;
mod overlay;
mod path;
mod reading;
mod signals;
mod standard_input;
mod status;
mod system;
mod time;
mod writing;

use super::caller::CallFailure;

pub(crate) use context::SystemCall;
pub(crate) use status::PROGRAM;
pub(crate) use system::STACK_SIZE;

/// The result of a call, or why it has none.
type CallResult = Result<u64, CallFailure>;

/// The function that performs a call.
pub(crate) type CallHandler = fn(&mut SystemCall<'_>) -> CallResult;

/// All calls, by the name that an architecture's description numbers.
pub(crate) static ALL: &[(&str, CallHandler)] = &[
    ("read", reading::read),
    ("readv", reading::readv),
    ("pread64", reading::pread),
    ("lseek", reading::lseek),
    ("pwrite64", writing::pwrite),
    ("write", writing::write),
    ("writev", writing::writev),
    ("unlink", overlay::unlink),
    ("unlinkat", overlay::unlinkat),
    ("rename", overlay::rename),
    ("ftruncate", overlay::ftruncate),
    ("fsync", descriptors::sync),
    ("fdatasync", descriptors::sync),
    ("open", descriptors::open),
    ("openat", descriptors::openat),
    ("close", descriptors::close),
    ("dup", control::dup),
    ("dup2", control::dup2),
    ("dup3", control::dup3),
    ("fcntl", control::fcntl),
    ("ioctl", control::ioctl),
    ("fadvise64", descriptors::advise),
    ("stat", status::stat),
    ("lstat", status::lstat),
    ("fstat", status::fstat),
    ("newfstatat", status::fstatat),
    ("access", status::access),
    ("faccessat", status::accessat),
    ("faccessat2", status::accessat2),
    ("readlink", status::readlink),
    ("readlinkat", status::readlinkat),
    ("getcwd", status::getcwd),
    ("statfs", status::statfs),
    ("statx", system::missing),
    ("brk", memory::brk),
    ("mmap", memory::mmap),
    ("mmap2", memory::mmap2),
    ("munmap", memory::munmap),
    ("mprotect", memory::mprotect),
    ("madvise", memory::madvise),
    ("rt_sigaction", signals::action),
    ("rt_sigprocmask", signals::mask),
    ("sigaltstack", signals::stack),
    ("tgkill", signals::tgkill),
    ("kill", signals::kill),
    ("tkill", signals::kill),
    ("getpid", identity::process),
    ("gettid", identity::process),
    ("getppid", identity::parent),
    ("getuid", identity::user),
    ("geteuid", identity::user),
    ("getgid", identity::user),
    ("getegid", identity::user),
    ("umask", identity::umask),
    ("uname", identity::uname),
    ("clock_gettime", time::clock_gettime),
    ("clock_getres", time::clock_getres),
    ("gettimeofday", time::gettimeofday),
    ("time", time::time),
    ("nanosleep", time::sleep),
    ("clock_nanosleep", time::clock_sleep),
    ("getrandom", system::random),
    ("sysinfo", system::information),
    ("prlimit64", system::limits),
    ("getrlimit", system::limit),
    ("sched_getaffinity", system::affinity),
    ("sched_yield", system::nothing),
    ("futex", system::futex),
    ("set_tid_address", identity::thread),
    ("set_robust_list", system::nothing),
    ("rseq", system::missing),
    ("arch_prctl", system::thread_pointer),
    ("set_thread_area", system::thread_pointer),
    ("set_tls", system::thread_pointer),
    ("prctl", system::prctl),
    ("exit", system::exit),
    ("exit_group", system::exit),
];
