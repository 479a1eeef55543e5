//! The host's processor as an executor: a child process that is single-stepped by `ptrace`.
//!
//! The child is an executable of our own that loops forever; it is attached to, so that no code runs between `fork` and
//! `exec`, and the only unsafe code is the two calls for vector registers.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod extended;

use super::executor::Executor;
use std::path::Path;

/// Starts a program on the host's processor.
///
/// # Errors
/// If it cannot be started, or may not be traced.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(super) fn start(file: &Path) -> Result<Box<dyn Executor>, String> {
    Ok(Box::new(traced::Traced::start(file)?))
}

/// Fails: the host's registers are not supported.
///
/// # Errors
/// Always.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub(super) fn start(_: &Path) -> Result<Box<dyn Executor>, String> {
    Err("the registers of this host's processor are not known here".to_owned())
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod traced {
    use super::extended::Extended;
    use crate::conform::executor::{Executor, Request, Response};
    use nix::sys::ptrace;
    use nix::sys::signal::Signal;
    use nix::sys::wait::{WaitStatus, waitpid};
    use nix::unistd::Pid;
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};

    /// A stopped child.
    pub(super) struct Traced {
        child: Child,
        process: Pid,
        memory: File,
        /// Vector and mask registers, after the first stop.
        extended: Option<Extended>,
    }

    fn problem(what: &str) -> impl Fn(nix::Error) -> String + '_ {
        move |error| format!("{what}: {error}")
    }

    impl Traced {
        /// Starts an executable and stops it.
        ///
        /// # Errors
        /// If it cannot be started, or may not be traced.
        pub(super) fn start(file: &Path) -> Result<Self, String> {
            let child = Command::new(file)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .map_err(|error| format!("{}: {error}", file.display()))?;
            let process = Pid::from_raw(child.id() as i32);
            let memory = File::options().read(true).write(true).open(format!("/proc/{process}/mem"));
            let memory = memory.map_err(|error| format!("the child's memory: {error}"))?;
            let mut traced = Self { child, process, memory, extended: None };
            ptrace::attach(process).map_err(problem("attaching to the child"))?;
            traced.wait()?;
            // The stop of the attachment may be reported twice; the program itself only loops.
            for _ in 0..4 {
                ptrace::step(process, None).map_err(problem("a step"))?;
                if traced.wait()? == Signal::SIGTRAP {
                    break;
                }
            }
            ptrace::setoptions(process, ptrace::Options::PTRACE_O_EXITKILL)
                .map_err(problem("tying the child to this process"))?;
            traced.extended = Some(Extended::new(process).map_err(problem("reading vector registers"))?);
            Ok(traced)
        }

        fn wait(&self) -> Result<Signal, String> {
            match waitpid(self.process, None).map_err(problem("waiting for the child"))? {
                WaitStatus::Stopped(_, signal) => Ok(signal),
                other => Err(format!("the child ended: {other:?}")),
            }
        }

        fn set(&mut self, bytes: &[u8]) -> Result<(), String> {
            let mut registers = ptrace::getregs(self.process).map_err(problem("reading registers"))?;
            let mut words = bytes.chunks_exact(8);
            for place in general(&mut registers) {
                *place = u64::from_le_bytes(array(words.next().ok_or("too few registers")?));
            }
            ptrace::setregs(self.process, registers).map_err(problem("setting registers"))?;
            let extended = self.extended.as_mut().ok_or("not stopped yet")?;
            extended.write(self.process, &bytes[8 * SHOWN..]).map_err(problem("setting vector registers"))
        }
    }

    /// The number of general registers.
    const SHOWN: usize = 20;

    /// The general registers, in the order of the description.
    fn general(registers: &mut nix::libc::user_regs_struct) -> [&mut u64; SHOWN] {
        let r = registers;
        [
            &mut r.rax,
            &mut r.rbx,
            &mut r.rcx,
            &mut r.rdx,
            &mut r.rsi,
            &mut r.rdi,
            &mut r.rbp,
            &mut r.rsp,
            &mut r.r8,
            &mut r.r9,
            &mut r.r10,
            &mut r.r11,
            &mut r.r12,
            &mut r.r13,
            &mut r.r14,
            &mut r.r15,
            &mut r.rip,
            &mut r.eflags,
            &mut r.fs_base,
            &mut r.gs_base,
        ]
    }

    fn array(bytes: &[u8]) -> [u8; 8] {
        let mut array = [0; 8];
        array.copy_from_slice(bytes);
        array
    }

    impl Executor for Traced {
        fn run(&mut self, request: &Request<'_>) -> Result<Response, String> {
            for (address, bytes) in request.writes {
                let written = self.memory.write_all_at(bytes, *address);
                written.map_err(|error| format!("the child's memory at {address:#x}: {error}"))?;
            }
            self.set(request.registers)?;
            let mut signal = None;
            for _ in 0..request.steps {
                ptrace::step(self.process, None).map_err(problem("a step"))?;
                signal = Some(self.wait()?).filter(|signal| *signal != Signal::SIGTRAP);
                if signal.is_some() {
                    break;
                }
            }
            let mut memory = Vec::new();
            for (address, size) in request.reads {
                let mut bytes = vec![0; *size];
                let read = self.memory.read_exact_at(&mut bytes, *address);
                read.map_err(|error| format!("the child's memory at {address:#x}: {error}"))?;
                memory.push(bytes);
            }
            let signal = signal.map(|signal| signal as i32);
            Ok(Response { signal, registers: self.registers()?, memory })
        }

        fn registers(&mut self) -> Result<Vec<u8>, String> {
            let mut registers = ptrace::getregs(self.process).map_err(problem("reading registers"))?;
            let extended = self.extended.as_ref().ok_or("not stopped yet")?;
            let vectors = extended.read(self.process).map_err(problem("reading vector registers"))?;
            let mut bytes: Vec<u8> =
                general(&mut registers).into_iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes.extend(vectors);
            Ok(bytes)
        }
    }

    impl Drop for Traced {
        fn drop(&mut self) {
            // It may have exited already.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
