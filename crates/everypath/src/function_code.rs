//! The code of functions, by name: what a justification refers to, and lapses with.

use crate::locator::{Locator, function_name};
use everypath_image::SymbolKind;
use everypath_record::{Address, FunctionDigest, sha256_hexadecimal};
use std::collections::BTreeSet;

/// Number of hexadecimal digits of a digest.
const DIGITS: usize = 16;

/// The prefix of the address in the name of a function without a symbol.
const UNNAMED: &str = "sub_";

impl Locator<'_> {
    /// The entries of the functions of a name: a symbol, or `sub_` and an address.
    pub(crate) fn entries_named(&self, name: &str) -> BTreeSet<u64> {
        let symbols = self.image().symbols().iter().filter(|symbol| symbol.name == name);
        let named = symbols.filter(|symbol| is_code(symbol.kind)).map(|symbol| symbol.address);
        let by_address = name.strip_prefix(UNNAMED).and_then(|address| u64::from_str_radix(address, 16).ok());
        named.chain(by_address).filter(|entry| self.entry(*entry) == Some(*entry)).collect()
    }

    /// The name and the digest of the function with this entry. If several functions have the name of its symbol, it is named by
    /// its address.
    pub(crate) fn function_digest(&self, entry: u64) -> Option<FunctionDigest> {
        let name = function_name(self.image(), entry);
        let is_unique = self.entries_named(&name).iter().eq([&entry]);
        let function = if is_unique { name } else { format!("{UNNAMED}{entry:x}") };
        Some(FunctionDigest { entry: Address(entry), function, code: self.code_digest(entry)? })
    }

    /// The first digits of the hash of a function's code.
    pub(crate) fn code_digest(&self, entry: u64) -> Option<String> {
        let size = usize::try_from(self.code_end(entry)?.checked_sub(entry)?).ok()?;
        let mut digits = sha256_hexadecimal(&self.image().bytes_at(entry, size)?);
        digits.truncate(DIGITS);
        Some(digits)
    }

    /// The end of a function's code: that of its symbol, if the file gives its size. Otherwise it reaches to what follows its last
    /// instruction: another function, a symbol, or the end of the segment's bytes. So the constants between and behind its
    /// instructions belong to it.
    fn code_end(&self, entry: u64) -> Option<u64> {
        let image = self.image();
        let symbol = image.function_symbol_at(entry).filter(|symbol| symbol.address == entry);
        if let Some(symbol) = symbol.filter(|symbol| symbol.size > 0) {
            return entry.checked_add(symbol.size);
        }
        let segment = image.segment_at(entry)?;
        let own = self.recovered_blocks().iter().filter(|block| block.entry == entry);
        let last = own.map(|block| block.end).max().unwrap_or(entry + 1);
        let blocks = self.recovered_blocks().iter().filter(|block| block.entry != entry);
        let symbols = image.symbols().iter().filter(|symbol| symbol.kind.is_address());
        let next = blocks.map(|block| block.start).chain(symbols.map(|symbol| symbol.address));
        let end = segment.address() + segment.data().len() as u64;
        next.filter(|address| *address >= last).chain([end.max(last)]).min()
    }
}

/// Whether a symbol may name a function.
fn is_code(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::IndirectFunction | SymbolKind::Label)
}
