//! Digests of files and of code.

use sha2::{Digest, Sha256};

/// The SHA-256 digest of some bytes, as 64 lower-case hexadecimal digits.
///
/// ```
/// let digest = everypath_record::sha256_hexadecimal(b"test");
/// assert_eq!(digest, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
/// ```
#[must_use]
pub fn sha256_hexadecimal(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
