//! Names from string tables, with a bound on their total size.

/// No compiler writes longer names on purpose, while a hostile file can make each of its symbols name the
/// same megabyte.
const LONGEST: usize = 4096;

/// A budget for names: a multiple of the size of the file.
pub(crate) struct Names {
    left: usize,
}

impl Names {
    /// Names for a file of so many bytes.
    ///
    /// String tables share suffixes, so the names of an honest file can be larger than the file, but not much larger.
    pub(crate) fn new(file_size: usize) -> Self {
        Self { left: file_size.saturating_mul(8).saturating_add(LONGEST) }
    }

    /// The string at the start of `bytes`, up to a zero byte and a maximum length; `None` when the budget is exhausted.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Option<String> {
        let text = clip(bytes);
        self.spend(text.len())?;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// Charges the budget for text from elsewhere.
    pub(crate) fn spend(&mut self, size: usize) -> Option<()> {
        self.left = self.left.checked_sub(size)?;
        Some(())
    }
}

/// The bytes before the first zero byte, cut to a bounded length.
pub(crate) fn clip(bytes: &[u8]) -> &[u8] {
    let window = &bytes[..bytes.len().min(LONGEST)];
    let end = window.iter().position(|&byte| byte == 0).unwrap_or(window.len());
    &window[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_at_zero_and_at_the_bound() {
        assert_eq!(clip(b"main\0x"), b"main");
        assert_eq!(clip(b"main"), b"main");
        assert_eq!(clip(&[b'x'; LONGEST + 1]).len(), LONGEST);
    }

    #[test]
    fn the_total_is_bounded_by_the_size_of_the_file() {
        let mut names = Names::new(0);
        assert!(names.take(&[b'x'; LONGEST]).is_some());
        assert_eq!(names.take(b"y"), None);
    }
}
