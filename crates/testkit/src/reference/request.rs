//! The request that the child reads: lines of `key value`, ended by an empty line or the end of input.
//!
//! ```text
//! sla /path/of/arm.sla
//! pspec /path/of/arm.pspec
//! space ram
//! context TMode=1
//! anchor 100
//! with-text
//! input /path/of/bytes
//! sweep base=8000 step=2
//! start 8000
//! limit 100
//! ```
//!
//! or, in place of `sweep`, `words size=4 base=1000 stride=40 slots=2000`. `pspec`, `context`, `anchor` and `with-text`
//! may be missing, `context` may be repeated. With a line `timed` the child reports only the number of instructions and
//! the time. Numbers are hexadecimal. `start` is an address for a sweep and an index for words.

use super::work::{ReferenceSweep, Words, Work};
use std::fmt;
use std::path::PathBuf;

/// One piece of work for one child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// File with the compiled specification.
    pub sla: PathBuf,
    /// File with the processor specification.
    pub pspec: Option<PathBuf>,
    /// Name of the code space.
    pub code_space: String,
    /// Context variables and their initial values.
    pub context: Vec<(String, u32)>,
    /// The distance in bytes at which a sweep resets them to these values; 0 for never.
    pub anchor: u64,
    /// Whether to answer with the disassembly too.
    pub with_text: bool,
    /// Whether to measure only.
    pub timed: bool,
    /// File with the bytes or the records.
    pub input: PathBuf,
    /// The kind of work.
    pub work: Work,
    /// The address or the index to begin with.
    pub start: u64,
    /// The maximum number of answers.
    pub limit: u64,
}

impl fmt::Display for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "sla {}", self.sla.display())?;
        if let Some(pspec) = &self.pspec {
            writeln!(formatter, "pspec {}", pspec.display())?;
        }
        writeln!(formatter, "space {}", self.code_space)?;
        for (variable, value) in &self.context {
            writeln!(formatter, "context {variable}={value:x}")?;
        }
        if self.anchor > 0 {
            writeln!(formatter, "anchor {:x}", self.anchor)?;
        }
        if self.with_text {
            writeln!(formatter, "with-text")?;
        }
        if self.timed {
            writeln!(formatter, "timed")?;
        }
        writeln!(formatter, "input {}", self.input.display())?;
        match self.work {
            Work::Sweep(ReferenceSweep { base, step }) => {
                writeln!(formatter, "sweep base={base:x} step={step:x}")?;
            }
            Work::Words(Words { size, base, stride, slots }) => {
                writeln!(formatter, "words size={size:x} base={base:x} stride={stride:x} slots={slots:x}")?;
            }
        }
        writeln!(formatter, "start {:x}", self.start)?;
        writeln!(formatter, "limit {:x}", self.limit)
    }
}

impl Request {
    /// Parses the form above; the error states the problem.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut sla, mut pspec, mut code_space, mut input, mut work) = (None, None, None, None, None);
        let (mut start, mut limit, mut anchor) = (None, None, 0);
        let mut context = Vec::new();
        let (mut with_text, mut timed) = (false, false);
        for line in text.lines().take_while(|line| !line.is_empty()) {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            match key {
                "sla" => sla = Some(PathBuf::from(value)),
                "pspec" => pspec = Some(PathBuf::from(value)),
                "space" => code_space = Some(value.to_owned()),
                "context" => context.push(variable(value)?),
                "anchor" => anchor = number(value)?,
                "with-text" => with_text = true,
                "timed" => timed = true,
                "input" => input = Some(PathBuf::from(value)),
                "sweep" => work = Some(Work::Sweep(sweep(value)?)),
                "words" => work = Some(Work::Words(words(value)?)),
                "start" => start = Some(number(value)?),
                "limit" => limit = Some(number(value)?),
                _ => return Err(format!("unknown line `{line}`")),
            }
        }
        let missing = |key: &str| format!("`{key}` is missing");
        Ok(Self {
            sla: sla.ok_or_else(|| missing("sla"))?,
            pspec,
            code_space: code_space.ok_or_else(|| missing("space"))?,
            context,
            anchor,
            with_text,
            timed,
            input: input.ok_or_else(|| missing("input"))?,
            work: work.ok_or_else(|| missing("sweep` or `words"))?,
            start: start.ok_or_else(|| missing("start"))?,
            limit: limit.ok_or_else(|| missing("limit"))?,
        })
    }
}

fn sweep(text: &str) -> Result<ReferenceSweep, String> {
    let [base, step] = fields(text, ["base", "step"])?;
    if step == 0 {
        return Err("a sweep needs a step".to_owned());
    }
    Ok(ReferenceSweep { base, step })
}

fn words(text: &str) -> Result<Words, String> {
    let [size, base, stride, slots] = fields(text, ["size", "base", "stride", "slots"])?;
    if size == 0 || slots == 0 || stride < size.max(16) {
        return Err(format!("words need a size, slots, and a stride of 16 and more: `{text}`"));
    }
    Ok(Words { size, base, stride, slots })
}

fn fields<const COUNT: usize>(text: &str, keys: [&str; COUNT]) -> Result<[u64; COUNT], String> {
    let mut values = [0; COUNT];
    let mut words = text.split(' ');
    for (key, value) in keys.iter().zip(&mut values) {
        let word = words.next().unwrap_or_default();
        match word.split_once('=') {
            Some((name, digits)) if name == *key => *value = number(digits)?,
            _ => return Err(format!("expected `{key}=...` in `{text}`")),
        }
    }
    Ok(values)
}

fn variable(text: &str) -> Result<(String, u32), String> {
    let (name, digits) = text.split_once('=').ok_or_else(|| format!("`{text}` is not `name=value`"))?;
    let value = u32::try_from(number(digits)?).map_err(|_| format!("`{text}` is beyond 32 bits"))?;
    Ok((name.to_owned(), value))
}

fn number(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text, 16).map_err(|_| format!("`{text}` is not a hexadecimal number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(work: Work) -> Request {
        Request {
            sla: "/a b/arm.sla".into(),
            pspec: Some("/a b/arm.pspec".into()),
            code_space: "ram".to_owned(),
            context: vec![("TMode".to_owned(), 1), ("LRset".to_owned(), 0)],
            anchor: 0x100,
            with_text: true,
            timed: true,
            input: "bytes".into(),
            work,
            start: 0x8000,
            limit: 3,
        }
    }

    #[test]
    fn requests_are_read_as_they_were_written() {
        let full = example(Work::Words(Words { size: 4, base: 0x1000, stride: 0x40, slots: 20 }));
        let mut short = example(Work::Sweep(ReferenceSweep { base: 0x8000, step: 2 }));
        (short.pspec, short.with_text, short.timed) = (None, false, false);
        short.anchor = 0;
        short.context.clear();
        for request in [full, short] {
            assert_eq!(Request::parse(&request.to_string()), Ok(request));
        }
    }

    #[test]
    fn faults_are_named() {
        let text = example(Work::Sweep(ReferenceSweep { base: 0, step: 1 })).to_string();
        let faults = [
            (text.replace("sla ", "spec "), "unknown line `spec"),
            (text.replace("limit 3\n", ""), "`limit` is missing"),
            (text.replace("step=1", "step=0"), "needs a step"),
            (text.replace("base=0 ", ""), "expected `base=...`"),
            (text.replace("sweep base=0 step=1", "words size=4 base=0 stride=8 slots=1"), "stride of 16"),
            (text.replace("TMode=1", "TMode"), "`name=value`"),
            (text.replace("start 8000", "start x"), "`x` is not a hexadecimal number"),
        ];
        for (text, message) in faults {
            let error = Request::parse(&text).expect_err(message);
            assert!(error.contains(message), "{error}");
        }
    }
}
