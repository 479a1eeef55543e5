//! The parser of the table form.

use crate::{Assignment, Pattern, Vector, VectorError, VectorTarget};

/// Parses the text of a vector file; `file` is its name in vectors and errors.
pub fn parse(file: &str, text: &str) -> Result<Vec<Vector>, VectorError> {
    let mut vectors = Vec::new();
    let mut given = Vec::new();
    let mut address = 0;
    let mut context = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = |message: String| VectorError { file: file.to_owned(), line: index + 1, message };
        match read_line(line).map_err(place)? {
            Line::Empty => {}
            Line::Given(assignments) => given = assignments,
            Line::At(number, fields) => (address, context) = (number, fields),
            Line::Row(row) => vectors.push(Vector {
                file: file.to_owned(),
                line: index + 1,
                text: row.text,
                address,
                context: context.clone(),
                bytes: row.bytes,
                before: overlaid(&given, row.before),
                after: row.after,
                bad: row.bad,
            }),
        }
    }
    Ok(vectors)
}

enum Line {
    Empty,
    Given(Vec<Assignment>),
    At(u64, Vec<(String, u64)>),
    Row(Row),
}

struct Row {
    text: Option<String>,
    bytes: Vec<u8>,
    before: Vec<Assignment>,
    after: Vec<Assignment>,
    bad: bool,
}

fn read_line(line: &str) -> Result<Line, String> {
    let trimmed = line.trim();
    if trimmed.is_empty() || trimmed.starts_with('#') {
        return Ok(Line::Empty);
    }
    // An instruction's text may contain `#` (an immediate operand), so the text column is split off before comments are
    // removed: a row is a line with a `|`, unless that is in the comment of a directive.
    let uncommented = without_comment(trimmed);
    let (word, rest) = uncommented.split_once(char::is_whitespace).unwrap_or((uncommented, ""));
    match word {
        "given" if !uncommented.contains('|') => Ok(Line::Given(state(rest)?)),
        "at" if !uncommented.contains('|') => read_at(rest),
        _ => read_row(trimmed).map(Line::Row),
    }
}

/// An address, and fields of the context there.
fn read_at(text: &str) -> Result<Line, String> {
    let mut words = text.split_whitespace();
    let address = number(words.next().unwrap_or_default(), "address")?;
    let field = |word: &str| {
        let (name, value) =
            word.split_once('=').ok_or_else(|| format!("`{word}` is not a field of the context"))?;
        Ok((name.to_owned(), number(value, "value")?))
    };
    Ok(Line::At(address, words.map(field).collect::<Result<_, String>>()?))
}

fn read_row(line: &str) -> Result<Row, String> {
    let (text, rest) = line
        .split_once('|')
        .ok_or_else(|| "expected `given`, `at`, or a row `text | bytes | before | after`".to_owned())?;
    let columns: Vec<&str> = without_comment(rest).split('|').collect();
    let [bytes, before, after] = columns[..] else {
        return Err(format!(
            "a row has 4 columns `text | bytes | before | after`, here are {}",
            columns.len() + 1
        ));
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return Err("the text is missing; write `~` if it is not to be compared".to_owned());
    }
    let bad = after.trim() == "bad";
    if bad && !text.starts_with('~') {
        return Err("what must not decode has no text; write `~`".to_owned());
    }
    Ok(Row {
        text: (!text.starts_with('~')).then_some(text),
        bytes: instruction_bytes(bytes)?,
        before: state(before)?,
        after: if bad { Vec::new() } else { assignments(after)? },
        bad,
    })
}

fn without_comment(text: &str) -> &str {
    text.split_once('#').map_or(text, |(before, _)| before)
}

fn number(text: &str, what: &str) -> Result<u64, String> {
    // `from_str_radix` would also take a sign.
    if !text.starts_with(|character: char| character.is_ascii_hexdigit()) {
        return Err(format!("`{text}` is not a hexadecimal {what}"));
    }
    u64::from_str_radix(text, 16).map_err(|_| format!("`{text}` is not a hexadecimal {what}"))
}

fn instruction_bytes(column: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for group in column.split_whitespace() {
        let pattern = Pattern::parse(group)?;
        match pattern.to_bytes() {
            Some(group_bytes) if pattern.digit_count() % 2 == 0 => bytes.extend(group_bytes),
            _ => return Err(format!("`{group}` is not a sequence of bytes (pairs of digits)")),
        }
    }
    if bytes.is_empty() {
        return Err("the instruction's bytes are missing".to_owned());
    }
    Ok(bytes)
}

/// Assignments of a state before, which must have no open digits.
fn state(column: &str) -> Result<Vec<Assignment>, String> {
    let assignments = assignments(column)?;
    match assignments.iter().find(|assignment| !assignment.value.is_exact()) {
        Some(open) => Err(format!("`{open}`: only values in `after` may have `?` digits")),
        None => Ok(assignments),
    }
}

fn assignments(column: &str) -> Result<Vec<Assignment>, String> {
    let mut assignments: Vec<Assignment> = Vec::new();
    for word in column.split_whitespace() {
        let assignment = assignment(word)?;
        if assignments.iter().any(|earlier| earlier.target == assignment.target) {
            return Err(format!("`{}` is assigned twice", assignment.target));
        }
        assignments.push(assignment);
    }
    Ok(assignments)
}

fn assignment(word: &str) -> Result<Assignment, String> {
    let (target, value) = word
        .split_once('=')
        .ok_or_else(|| format!("`{word}` is not an assignment `REGISTER=value` or `SPACE[address]=bytes`"))?;
    let value = Pattern::parse(value)?;
    let target = match target.split_once('[') {
        None => VectorTarget::Register(name(target, word)?),
        Some((space, rest)) => {
            let address = rest.strip_suffix(']').ok_or_else(|| format!("`{word}`: `]=` is missing"))?;
            if value.digit_count() % 2 == 1 {
                return Err(format!("`{word}`: memory holds bytes, write pairs of digits"));
            }
            VectorTarget::Memory { space: name(space, word)?, address: number(address, "address")? }
        }
    };
    Ok(Assignment { target, value })
}

fn name(text: &str, word: &str) -> Result<String, String> {
    if text.is_empty() || text.contains(['[', ']']) {
        return Err(format!("`{word}`: the name before `=` is missing or malformed"));
    }
    Ok(text.to_owned())
}

/// The given state with a row's own assignments in place of those for the same target.
fn overlaid(given: &[Assignment], row: Vec<Assignment>) -> Vec<Assignment> {
    let mut state: Vec<_> = given
        .iter()
        .filter(|assignment| row.iter().all(|own| own.target != assignment.target))
        .cloned()
        .collect();
    state.extend(row);
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
# ADD: data sheet, table 7
given A=00 PSW=00 SP=07            # state | of all vectors that follow
at 0100

ADD  A,#0x10    | 24 10 | A=f8          | A=08 PSW=8?   # V is left open
MOV R0,A        | f8    | A=5a PSW=08   | INTMEM[08]=5a
~               | 80fe  |               | PC=0100
given
at 0 mode=1f    # back
at | 00 | |
";

    fn words(assignments: &[Assignment]) -> Vec<String> {
        assignments.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reads_the_form() {
        let vectors = parse("add.vec", TABLE).unwrap();
        assert_eq!(vectors.len(), 4);
        assert_eq!((vectors[0].file.as_str(), vectors[0].line), ("add.vec", 5));
        assert_eq!(vectors[0].text.as_deref(), Some("ADD A,#0x10"));
        assert_eq!((vectors[0].address, &vectors[0].bytes[..]), (0x100, &[0x24, 0x10][..]));
        assert_eq!(words(&vectors[0].before), ["PSW=00", "SP=07", "A=f8"]);
        assert_eq!(words(&vectors[0].after), ["A=08", "PSW=8?"]);
        let memory = VectorTarget::Memory { space: "INTMEM".to_owned(), address: 8 };
        assert_eq!(vectors[1].after[0].target, memory);
        assert_eq!(vectors[2].text, None);
        assert_eq!(vectors[2].bytes, [0x80, 0xfe]);
        assert_eq!(vectors[2].address, 0x100);
    }

    #[test]
    fn given_replaces_and_a_mnemonic_may_be_called_like_a_directive() {
        let vectors = parse("add.vec", TABLE).unwrap();
        assert_eq!((vectors[3].text.as_deref(), vectors[3].address), (Some("at"), 0));
        assert!(vectors[3].before.is_empty());
        assert_eq!(vectors[3].context, [("mode".to_owned(), 0x1f)]);
        assert!(vectors[2].context.is_empty());
    }

    #[test]
    fn bytes_can_be_no_instruction() {
        let vectors = parse("bad.vec", "~ | a5 | | bad # reserved\n~ | 00 | |\n").unwrap();
        assert!(vectors[0].bad && vectors[0].after.is_empty());
        assert!(!vectors[1].bad);
    }

    #[test]
    fn faults_are_named_with_their_place() {
        let faults = [
            ("NOP 00", "expected `given`"),
            ("NOP | 00 | A=1", "here are 3"),
            ("NOP | 00 | | | A=1", "here are 5"),
            (" | 00 | |", "text is missing"),
            ("NOP | | |", "bytes are missing"),
            ("NOP | 0 | |", "pairs of digits"),
            ("NOP | 0? | |", "pairs of digits"),
            ("NOP | 00 | A=? |", "only values in `after`"),
            ("given A=?", "only values in `after`"),
            ("NOP | 00 | A=1 A=2 |", "`A` is assigned twice"),
            ("NOP | 00 | A |", "not an assignment"),
            ("NOP | 00 | A= |", "value is missing"),
            ("NOP | 00 | A=0x10 |", "`x` in `0x10`"),
            ("NOP | 00 | =1 |", "name before `=`"),
            ("NOP | 00 | X[12]=5 |", "pairs of digits"),
            ("NOP | 00 | X[12=55 |", "`]=` is missing"),
            ("NOP | 00 | X[]=55 |", "not a hexadecimal address"),
            ("at +10", "not a hexadecimal address"),
            ("at", "not a hexadecimal address"),
            ("at 10 mode", "not a field of the context"),
            ("at 10 mode=", "not a hexadecimal value"),
            ("NOP | 00 | | bad", "must not decode has no text"),
            ("~ | 00 | bad |", "not an assignment"),
            ("~ | 00 | | bad A=1", "not an assignment"),
        ];
        for (line, message) in faults {
            let error = parse("x.vec", &format!("# heading\n{line}\n")).expect_err(line);
            assert!(error.message.contains(message), "{line}: {error}");
            assert!(error.to_string().starts_with("x.vec:2: "), "{error}");
        }
    }
}
