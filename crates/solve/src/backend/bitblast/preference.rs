//! Which values a person would like where nothing decides.

/// What the input bytes of a model are where the conditions leave it open.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Preference {
    /// Zero.
    #[default]
    Zero,
    /// Printable: the digit zero.
    Printable,
}

impl Preference {
    pub(super) fn byte(self) -> u8 {
        match self {
            Preference::Zero => 0,
            Preference::Printable => b'0',
        }
    }
}
