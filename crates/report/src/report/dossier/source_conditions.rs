//! The conditions that the text of a source line shows: a count of short-circuit operators, with a doubt wherever the text may
//! not be one whole decision.
//!
//! This is no parser of a language. It compares the number of conditions in the text with the number of branches in the code, so
//! that conditions which optimised code evaluates without a branch do not go unnoticed. Each doubt makes the answer "unknown".
//! It knows the operators of C and its kin, and `and then` and `or else` of Ada. It does not see what a macro or a
//! constant in capitals hides, unless it looks like a call.

use everypath_record::SourceFile;

use super::neighbouring_lines;

/// The decision that a line of text shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceConditions {
    /// The number of conditions; 0 if the text shows no decision.
    pub(super) conditions: usize,
    /// Whether a keyword or an operator stands for a decision, and not a comparison alone.
    pub(super) is_plain: bool,
    /// Why the count may be wrong.
    pub(super) doubt: Option<&'static str>,
}

const SPANS: &str = "the decision spans several lines";
pub(super) const KEYWORDS: [&str; 7] = ["if", "while", "for", "until", "elsif", "elif", "when"];
const MULTIWAY: [&str; 3] = ["switch", "case", "match"];
const COMPARISONS: [&str; 6] = ["==", "!=", "<", ">", "<=", ">="];
/// Keywords that may precede a parenthesis without making it a call.
const UNCALLED: [&str; 6] = ["return", "sizeof", "then", "not", "do", "else"];
/// Operators that combine truth values without a branch.
const BITWISE: [&str; 5] = ["&", "|", "^", "and", "or"];

impl SourceConditions {
    /// Counts the conditions of a line of a file, with a doubt if the lines around it may belong to the same decision.
    pub(super) fn in_file(file: &SourceFile, line: u32) -> SourceConditions {
        let position = (line as usize).saturating_sub(1);
        let mut shown = SourceConditions::of(file.lines.get(position).map_or("", String::as_str));
        if shown.doubt.is_none() && !neighbouring_lines::is_whole(&file.lines, position) {
            shown.doubt = Some(SPANS);
        }
        shown
    }

    /// Counts the conditions of a line, whatever the lines around it are.
    pub(super) fn of(line: &str) -> SourceConditions {
        let tokens = tokens(line);
        let token = |index: usize| tokens.get(index).map_or("", String::as_str);
        let (mut operators, mut decisions, mut comparisons, mut behind) = (0, 0, 0, 0);
        let (mut has_macro, mut has_bitwise, mut in_argument) = (false, false, false);
        let (mut is_multiway, mut is_unbalanced, mut has_comma) = (false, false, false);
        // The open parentheses: whether each is of a call, and whether it is of a keyword.
        let mut open: Vec<(bool, bool)> = Vec::new();
        let mut is_behind = false;
        for (index, text) in tokens.iter().map(String::as_str).enumerate() {
            let before = if index == 0 { "" } else { token(index - 1) };
            let is_short_circuit = is_operator(&tokens, index);
            let is_decision = KEYWORDS.contains(&text) || text == "?";
            match text {
                "(" => {
                    let is_keyword = KEYWORDS.contains(&before);
                    let is_call = is_name(before) && !is_keyword && !UNCALLED.contains(&before);
                    has_macro |= is_call && !before.contains(|letter: char| letter.is_lowercase());
                    open.push((is_call, is_keyword));
                }
                ")" => match open.pop() {
                    Some((_, is_keyword)) => is_behind |= is_keyword,
                    None => is_unbalanced = true,
                },
                "{" => is_behind |= decisions > 0,
                "," => has_comma = true,
                _ => {}
            }
            operators += usize::from(is_short_circuit);
            decisions += usize::from(is_decision);
            comparisons += usize::from(COMPARISONS.contains(&text));
            is_multiway |= MULTIWAY.contains(&text);
            let is_any = is_short_circuit || is_decision || COMPARISONS.contains(&text);
            behind += usize::from(is_behind && is_any);
            in_argument |= is_any && open.iter().any(|(is_call, _)| *is_call);
            has_bitwise |= is_bitwise(&tokens, index);
        }
        is_unbalanced |= !open.is_empty() || is_cut(&tokens);
        let one = usize::from(operators + comparisons > 0);
        let conditions = if is_multiway { 0 } else { operators + decisions.max(one) };
        let has_keyword = decisions > 0;
        let doubts = [
            (is_multiway, "the text shows a multi-way branch, which is no Boolean decision"),
            (is_unbalanced, SPANS),
            (
                conditions == 0,
                "the text shows no decision: code of a macro, of an inlined function or of the compiler",
            ),
            (line.trim_start().starts_with('#') || has_macro, "a macro may have conditions of its own"),
            (has_bitwise, "a bitwise operator may combine conditions without a branch"),
            (
                decisions > 1
                    || behind > 0
                    || comparisons > operators + 1
                    || operators > 0 && has_comma && !has_keyword,
                "the line has several decisions",
            ),
            (in_argument, "an argument of a call may be a decision of its own"),
        ];
        let doubt = doubts.into_iter().find(|(is_so, _)| *is_so).map(|(_, doubt)| doubt);
        SourceConditions { conditions, is_plain: operators + decisions > 0, doubt }
    }
}

/// Whether a token is a short-circuit operator.
fn is_operator(tokens: &[String], index: usize) -> bool {
    let next = tokens.get(index + 1).map(String::as_str);
    matches!((tokens[index].as_str(), next), ("&&" | "||", _) | ("and", Some("then")) | ("or", Some("else")))
}

/// Whether a token combines two values bit by bit, unless the second one is a number that ends the expression: a mask.
fn is_bitwise(tokens: &[String], index: usize) -> bool {
    let text = tokens[index].as_str();
    if text == "xor" {
        return true;
    }
    let Some(before) = index.checked_sub(1).map(|before| tokens[before].as_str()) else { return false };
    let is_binary = is_name(before) || is_number(before) || [")", "]"].contains(&before);
    let is_mask = tokens.get(index + 1).is_some_and(|next| is_number(next))
        && tokens.get(index + 2).is_some_and(|end| end == ")");
    BITWISE.contains(&text)
        && is_binary
        && !UNCALLED.contains(&before)
        && !is_operator(tokens, index)
        && !is_mask
}

/// Whether a line begins or ends in the middle of an expression.
fn is_cut(tokens: &[String]) -> bool {
    let is_middle = |token: &String| {
        ["&&", "||", "and", "or", "then", "else", "?", ":", "(", ",", "\\"].contains(&token.as_str())
    };
    let first = tokens.first().filter(|token| !["else", "("].contains(&token.as_str()));
    let last = tokens.last().filter(|token| !["then", "else", ":"].contains(&token.as_str()));
    let is_open = matches!(tokens, [.., one, other] if is_operator(&[one.clone(), other.clone()], 0));
    is_open || first.is_some_and(is_middle) || last.is_some_and(is_middle)
}

pub(super) fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

fn is_number(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_ascii_digit())
}

/// The words, numbers and operators of a line, without comments; a text or a character is one token.
pub(super) fn tokens(line: &str) -> Vec<String> {
    const LONG: [&str; 16] =
        ["&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->", "=>", "&=", "|=", "^=", "::", "++", "--"];
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            break;
        } else if rest.starts_with("/*") {
            rest = rest[2..].split_once("*/").map_or("", |(_, behind)| behind).trim_start();
            continue;
        } else if first == '"' {
            text_length(rest)
        } else if first == '\'' {
            // A character; otherwise the accent is an operator, as in Ada, or a lifetime.
            rest[1..].find('\'').filter(|end| (1..=4).contains(end)).map_or(1, |end| end + 2)
        } else if first.is_alphanumeric() || first == '_' {
            rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len())
        } else {
            LONG.iter().find(|long| rest.starts_with(**long)).map_or(first.len_utf8(), |long| long.len())
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The length of the text in double quotes that a line begins with.
fn text_length(line: &str) -> usize {
    let mut is_escaped = false;
    for (index, letter) in line.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return index + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_decisions_are_counted() {
        let lines = [
            ("if (a) {", 1),
            ("    } else if (a > 3 && (b || !c)) { // x && y", 3),
            ("while (!(*STATUS & 0x80)) ;", 1),
            ("for (i = 0, j = 1; i < n && s[i] != ')'; i++)", 2),
            ("return strlen(name) > 4 || flag;", 2),
            ("x = level > 9 ? 1 : 0;", 1),
            ("if A > 3 and then B then", 2),
            ("if a && b {", 2),
            ("} while (x->next != NULL);", 1),
        ];
        for (line, conditions) in lines {
            let found = SourceConditions::of(line);
            assert_eq!((found.conditions, found.doubt), (conditions, None), "{line}");
        }
    }

    #[test]
    fn what_may_not_be_one_whole_decision_is_doubted() {
        let lines = [
            ("if (a &&", "spans"),
            ("    b) {", "spans"),
            ("&& b", "spans"),
            ("    b ||", "spans"),
            ("if A > 3 and then", "spans"),
            ("if A > 3 or else", "spans"),
            ("if (a) return b && c;", "several decisions"),
            ("if (a) x = c ? 1 : 2;", "several decisions"),
            ("x = (a < b) + (c < d);", "several decisions"),
            ("f(a && b);", "argument"),
            ("if ((a == 1) & (b == 2))", "bitwise"),
            ("if (flags & mask)", "bitwise"),
            ("if (a xor b)", "bitwise"),
            ("if (IS_VALID(x))", "macro"),
            ("#define A if (x)", "macro"),
            ("switch (state) {", "multi-way"),
            ("}", "no decision"),
            ("", "no decision"),
            ("if A and B then", "bitwise"),
        ];
        for (line, part) in lines {
            let doubt = SourceConditions::of(line).doubt.unwrap_or("none");
            assert!(doubt.contains(part), "{line}: {doubt}");
        }
    }
}
