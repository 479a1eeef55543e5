//! The vector and mask registers of a traced process, in the processor's XSAVE layout.

use nix::errno::Errno;
use nix::libc;
use nix::unistd::Pid;
use std::arch::x86_64::__cpuid_count;

/// The register set with all of the extended state (`NT_X86_XSTATE`).
const EXTENDED_STATE: usize = 0x202;
/// A size above that of any current processor.
const LARGEST: usize = 1 << 16;
/// The offset of the mask of components that the system has enabled.
const SWITCHED_ON: usize = 464;
/// The offset of the mask of components that are in use.
const IN_USE: usize = 512;

/// The number of vector registers, and the size of each in bytes.
const VECTORS: (usize, usize) = (32, 64);
/// The same for mask registers.
const MASKS: (usize, usize) = (8, 8);

/// Components of the area, by their numbers.
const LOWEST: u32 = 1;
const UPPER_HALVES: u32 = 2;
const MASK_REGISTERS: u32 = 5;
const UPPER_QUARTERS: u32 = 6;
const UPPER_REGISTERS: u32 = 7;

/// The offset of the lowest sixteen bytes of the first vector register.
const LOWEST_OFFSET: usize = 160;

/// The extended state of one process.
pub(super) struct Extended {
    /// The initial contents of the whole area.
    area: Vec<u8>,
    /// Pieces of the registers in order: size, and offset if the processor has the piece.
    pieces: Vec<(usize, Option<usize>)>,
    /// The last values written; pieces that the processor lacks keep them.
    shown: Vec<u8>,
}

impl Extended {
    /// Reads the state of a stopped process for the first time.
    ///
    /// # Errors
    /// If the system does not provide it.
    pub(super) fn new(process: Pid) -> Result<Self, Errno> {
        let mut area = vec![0; LARGEST];
        let size = get(process, &mut area)?;
        area.truncate(size);
        if size <= IN_USE {
            return Err(Errno::ENODATA);
        }
        let mut on = [0; 8];
        on.copy_from_slice(&area[SWITCHED_ON..SWITCHED_ON + 8]);
        let on = u64::from_le_bytes(on);
        let place = |component: u32, size: usize, index: usize| {
            let offset = match component {
                LOWEST => LOWEST_OFFSET,
                other => __cpuid_count(0xd, other).ebx as usize,
            };
            (size, (on >> component & 1 == 1).then_some(offset + size * index))
        };
        let mut pieces = Vec::new();
        for index in 0..VECTORS.0 {
            if index < 16 {
                pieces.push(place(LOWEST, 16, index));
                pieces.push(place(UPPER_HALVES, 16, index));
                pieces.push(place(UPPER_QUARTERS, 32, index));
            } else {
                pieces.push(place(UPPER_REGISTERS, 64, index - 16));
            }
        }
        pieces.extend((0..MASKS.0).map(|index| place(MASK_REGISTERS, MASKS.1, index)));
        let in_use = [LOWEST, UPPER_HALVES, MASK_REGISTERS, UPPER_QUARTERS, UPPER_REGISTERS];
        let in_use = in_use.into_iter().fold(0, |all, component| all | 1_u64 << component) & on;
        for (place, bits) in area[IN_USE..].iter_mut().zip(in_use.to_le_bytes()) {
            *place |= bits;
        }
        let shown = vec![0; VECTORS.0 * VECTORS.1 + MASKS.0 * MASKS.1];
        Ok(Self { area, pieces, shown })
    }

    /// All vector registers and then all mask registers.
    ///
    /// # Errors
    /// If the process is not stopped.
    pub(super) fn read(&self, process: Pid) -> Result<Vec<u8>, Errno> {
        let mut area = vec![0; self.area.len()];
        get(process, &mut area)?;
        let mut bytes = self.shown.clone();
        let mut position = 0;
        for (size, place) in &self.pieces {
            if let Some(place) = place {
                bytes[position..position + size].copy_from_slice(&area[*place..place + size]);
            }
            position += size;
        }
        Ok(bytes)
    }

    /// Sets all of them.
    ///
    /// # Errors
    /// If the process is not stopped.
    pub(super) fn write(&mut self, process: Pid, bytes: &[u8]) -> Result<(), Errno> {
        self.shown.copy_from_slice(bytes);
        let mut position = 0;
        for (size, place) in &self.pieces {
            if let Some(place) = place {
                self.area[*place..place + size].copy_from_slice(&bytes[position..position + size]);
            }
            position += size;
        }
        set(process, &mut self.area)
    }
}

/// Reads the area; returns its size.
#[allow(unsafe_code, reason = "nix does not offer this register set")]
fn get(process: Pid, area: &mut [u8]) -> Result<usize, Errno> {
    let mut span = libc::iovec { iov_base: area.as_mut_ptr().cast(), iov_len: area.len() };
    // SAFETY: the system writes at most `iov_len` bytes from `iov_base` on, which is `area`, borrowed for that; and
    // `span` itself. Both outlive the call, and nothing else of this process is touched.
    let result =
        unsafe { libc::ptrace(libc::PTRACE_GETREGSET, process.as_raw(), EXTENDED_STATE, &raw mut span) };
    Errno::result(result).map(|_| span.iov_len)
}

/// Writes the area.
#[allow(unsafe_code, reason = "nix does not offer this register set")]
fn set(process: Pid, area: &mut [u8]) -> Result<(), Errno> {
    let mut span = libc::iovec { iov_base: area.as_mut_ptr().cast(), iov_len: area.len() };
    // SAFETY: the system reads at most `iov_len` bytes from `iov_base` on, which is `area`, and writes `span`. Both
    // outlive the call, and nothing else of this process is touched.
    let result =
        unsafe { libc::ptrace(libc::PTRACE_SETREGSET, process.as_raw(), EXTENDED_STATE, &raw mut span) };
    Errno::result(result).map(|_| ())
}
