//! The execution environment that an ELF file requires: a dynamic linker, or the operating system that its C library's
//! note names.

/// The environment that a program needs to run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A dynamic linker, by path, which loads it and its libraries.
    DynamicLinker(String),
    /// An operating system, by name, according to a note of its start-up code.
    System(String),
}

/// The program headers in memory: a process is told where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProgramHeaders {
    /// The address of the first.
    pub address: u64,
    /// The size of one in bytes.
    pub entry_size: u64,
    /// Their number.
    pub count: u64,
}

/// The systems that the note of the GNU C library numbers.
const GNU_SYSTEMS: [&str; 4] = ["Linux", "Hurd", "Solaris", "FreeBSD"];
/// Other systems put their own name on the note.
const OWN_NAMES: [&str; 4] = ["FreeBSD", "NetBSD", "OpenBSD", "Android"];
/// The type of the note that tags a program for a system.
const SYSTEM_TAG: u64 = 1;

/// The system that a list of notes names.
pub(crate) fn system(mut notes: &[u8], number: impl Fn(&[u8]) -> u64) -> Option<String> {
    loop {
        let field = |place: usize| Some(number(notes.get(4 * place..4 * place + 4)?));
        let (name_size, size, kind) = (field(0)?, field(1)?, field(2)?);
        let (name_size, size) = (usize::try_from(name_size).ok()?, usize::try_from(size).ok()?);
        let rest = &notes[12..];
        let name = rest.get(..name_size)?.split(|byte| *byte == 0).next()?;
        let start = name_size.checked_next_multiple_of(4)?;
        let contents = rest.get(start..start.checked_add(size)?)?;
        if kind == SYSTEM_TAG {
            if name == b"GNU" {
                let system = usize::try_from(number(contents.get(..4)?)).ok()?;
                return GNU_SYSTEMS.get(system).map(|name| (*name).to_owned());
            }
            if let Some(own) = OWN_NAMES.iter().find(|own| own.as_bytes() == name) {
                return Some((*own).to_owned());
            }
        }
        notes = rest.get(start.checked_add(size.checked_next_multiple_of(4)?)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Endian;

    fn note(name: &[u8], kind: u8, contents: &[u8]) -> Vec<u8> {
        let mut note = vec![name.len() as u8, 0, 0, 0, contents.len() as u8, 0, 0, 0, kind, 0, 0, 0];
        note.extend(name);
        note.resize(note.len().next_multiple_of(4), 0);
        note.extend(contents);
        note
    }

    #[test]
    fn the_tag_is_found_behind_other_notes_and_a_build_number_is_none() {
        let number = |bytes: &[u8]| Endian::Little.number(bytes);
        let build = note(b"GNU\0", 3, &[1; 20]);
        assert_eq!(system(&build, number), None);
        let tagged = [build, note(b"GNU\0", 1, &[0, 0, 0, 0, 3, 0, 0, 0])].concat();
        assert_eq!(system(&tagged, number), Some("Linux".to_owned()));
        assert_eq!(system(&note(b"NetBSD\0\0", 1, &[0; 4]), number), Some("NetBSD".to_owned()));
        for end in 0..tagged.len() - 8 {
            assert_eq!(system(&tagged[..end], number), None);
        }
    }
}
