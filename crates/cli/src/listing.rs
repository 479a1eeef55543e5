//! Building blocks of listings for people.

use crate::range::is_label;
use everypath_image::{Image, Symbol};
use std::fmt::{self, Display, from_fn};

/// The text on one line: characters that would move the cursor, or worse, are written out.
pub(crate) fn printable(text: &str) -> impl Display + '_ {
    from_fn(move |formatter| {
        if !text.contains(char::is_control) {
            return formatter.write_str(text);
        }
        for character in text.chars() {
            if character.is_control() {
                write!(formatter, "{}", character.escape_default())?;
            } else {
                fmt::Write::write_char(formatter, character)?;
            }
        }
        Ok(())
    })
}

/// An address with so many digits.
pub(crate) fn address(address: u64, digits: usize) -> impl Display {
    from_fn(move |formatter| write!(formatter, "0x{address:0digits$x}"))
}

/// The number of hexadecimal digits of a number.
pub(crate) fn digits(number: u64) -> usize {
    (16 - number.leading_zeros() as usize / 4).max(1)
}

/// The symbols that name the addresses from `start` on and before `end`.
pub(crate) fn labels(image: &Image, start: u64, end: u64) -> impl Iterator<Item = &Symbol> {
    let symbols = image.symbols();
    let from = symbols.partition_point(|symbol| symbol.address < start);
    symbols[from..].iter().take_while(move |symbol| symbol.address < end).filter(|symbol| is_label(symbol))
}
