//! Whether a source line has a whole decision, or one that the lines before or behind it continue.
//!
//! Formatters break a decision before or behind an operator, with or without parentheses around it. A line has a whole decision
//! only if the line before it does not end in the middle of an expression, the line behind it does not begin there, and each
//! keyword has the end of its condition: a parenthesis, or a word such as `then`. Lines without code are passed over.

use super::source_conditions::{KEYWORDS, is_name, tokens};

/// Tokens behind which a statement or a condition begins.
const BOUNDARIES: [&str; 13] =
    [";", "{", "}", ")", ":", "=>", "then", "else", "loop", "begin", "do", "is", "declare"];
/// Tokens that end the condition of a keyword.
const CLOSINGS: [&str; 7] = ["{", "then", "loop", "do", ":", ";", "=>"];
/// Words that are operators.
const WORDS: [&str; 9] = ["and", "or", "xor", "not", "mod", "rem", "in", "as", "is"];
/// Tokens behind which nothing belongs to the decision before them.
const ENDS: [&str; 4] = [";", "{", "then", "loop"];

/// Whether the line at a position, whose own text shows a whole decision, has all of it.
pub(super) fn is_whole(lines: &[String], position: usize) -> bool {
    let Some(text) = lines.get(position) else { return false };
    let line = tokens(without_comment(text));
    let (Some(first), Some(last)) = (line.first(), line.last()) else { return false };
    let (before, behind) = (before(lines, position), behind(lines, position));
    let begins = before.last().is_none_or(|end| {
        let is_ternary = end == ":" && (before.iter().any(|token| token == "?") || before[0] == ":");
        let is_boundary = BOUNDARIES.contains(&end.as_str()) && !is_ternary && !is_short_circuit(&before);
        let is_statement =
            KEYWORDS.contains(&first.as_str()) || ["return", "}", "else"].contains(&first.as_str());
        is_boundary || is_statement && !is_operator(end) && !KEYWORDS.contains(&end.as_str()) && !is_ternary
    });
    let is_continued = behind.first().is_some_and(|next| {
        // A store through a pointer is a statement.
        let is_store = next == "*" && behind.iter().any(|token| token == "=");
        !is_store && (is_operator(next) || [")", "]"].contains(&next.as_str()))
    });
    let next = behind.first().map_or("", String::as_str);
    let mut keywords = line.iter().enumerate().filter(|(_, token)| KEYWORDS.contains(&token.as_str()));
    let is_closed = |(keyword, _): (usize, &String)| is_closed(&line[keyword + 1..], next);
    begins && !is_binary(first) && (ENDS.contains(&last.as_str()) || !is_continued) && keywords.all(is_closed)
}

/// Whether the condition of a keyword ends on its line, or at the first token of the next line.
fn is_closed(condition: &[String], next: &str) -> bool {
    let mut depth = 0_usize;
    for (index, token) in condition.iter().map(String::as_str).enumerate() {
        match token {
            "(" | "[" => depth += 1,
            ")" | "]" => {
                depth = depth.saturating_sub(1);
                // The parentheses are of the keyword if a statement, or nothing, is behind them.
                let further = condition.get(index + 1).map(String::as_str);
                let is_statement = further.is_none_or(|token| is_name(token) && !WORDS.contains(&token));
                if depth == 0 && condition[0] == "(" && is_first_group(condition, index) && is_statement {
                    return true;
                }
            }
            _ if depth == 0 && CLOSINGS.contains(&token) => {
                let is_operator = token == "then" && index > 0 && condition[index - 1] == "and";
                if !is_operator {
                    return true;
                }
            }
            _ => {}
        }
    }
    ["{", "then", "loop", "do"].contains(&next)
}

/// Whether the parenthesis at an index closes the first one.
fn is_first_group(condition: &[String], end: usize) -> bool {
    let mut depth = 0_usize;
    for (index, token) in condition.iter().enumerate().take(end + 1) {
        match token.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index == end;
        }
    }
    false
}

/// Whether tokens end with `and then` or `or else`.
fn is_short_circuit(tokens: &[String]) -> bool {
    let [.., one, other] = tokens else { return false };
    matches!((one.as_str(), other.as_str()), ("and", "then") | ("or", "else"))
}

/// Whether a token, at the end of a line or at the beginning of one, is in the middle of an expression.
fn is_operator(token: &str) -> bool {
    let is_other = !is_name(token)
        && !token.starts_with(|letter: char| letter.is_ascii_digit() || "\"'".contains(letter));
    let is_boundary = [";", "{", "}", "(", ")", "[", "]", "++", "--", "#", "=>", "!", "~"].contains(&token);
    WORDS.contains(&token) || is_other && !is_boundary || token == "="
}

/// Whether a token at the beginning of a line continues the line before it.
fn is_binary(token: &str) -> bool {
    is_operator(token) && !["*", "not"].contains(&token)
}

/// The tokens of the last line with code before a position, up to a comment that ends before it.
fn before(lines: &[String], position: usize) -> Vec<String> {
    let mut in_comment = false;
    for line in lines[..position].iter().rev() {
        let mut text = line.trim();
        if in_comment {
            let Some((code, _)) = text.split_once("/*") else { continue };
            (text, in_comment) = (code.trim(), false);
        } else if text.ends_with("*/") && !text.contains("/*") {
            in_comment = true;
            continue;
        }
        let found = tokens(without_comment(text));
        if !found.is_empty() && (!text.starts_with('#') || text.ends_with('\\')) {
            return found;
        }
    }
    Vec::new()
}

/// The tokens of the first line with code behind a position.
fn behind(lines: &[String], position: usize) -> Vec<String> {
    let is_open = |text: &str| text.rfind("/*").is_some_and(|begin| !text[begin..].contains("*/"));
    let mut in_comment = is_open(&lines[position]);
    for line in &lines[position + 1..] {
        let mut text = line.trim();
        if in_comment {
            let Some((_, code)) = text.split_once("*/") else { continue };
            text = code.trim();
        }
        in_comment = is_open(text);
        let found = tokens(without_comment(text));
        if !found.is_empty() && !text.starts_with('#') {
            return found;
        }
    }
    Vec::new()
}

/// A line without a comment of Ada. In C, a statement that begins with a decrement has no space behind it.
fn without_comment(text: &str) -> &str {
    text.split_once("-- ").map_or(text, |(code, _)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_whole_among(lines: &[&str]) -> bool {
        let position = lines.iter().position(|line| line.starts_with("> ")).expect("a marked line");
        let lines: Vec<String> = lines.iter().map(|line| line.trim_start_matches("> ").to_owned()).collect();
        is_whole(&lines, position)
    }

    #[test]
    fn decisions_over_several_lines_are_not_whole() {
        for lines in [
            &["> if A < B", "  and then C", "then"][..],
            &["> if A < B -- and", "  -- more", "  and then C", "then"],
            &["> if a < b", "    && c", "{"],
            &["> if (a < b)", "    && c {"],
            &["> if a < b"],
            &["> if A < B -- then", "  and then C", "then"],
            &["if A and then", "> B < C", "then"],
            &["if (", "> a < b", "&& c)"],
            &["if (", "> a < b", ")"],
            &["if (c &&", "> (a < b)", ") {"],
            &["return", "> a < b", "    || c;"],
            &["> return a < b", "", "    /* why", "       so */", "    || c;"],
            &["x = c ||", "> a < b;"],
            &["x = c ? d :", "> a < b;"],
            &["x = c", "> == a < b;"],
            &["let x = y", "> a < b"],
            &["while", "> A < B", "loop"],
            &["if !", "> (a < b)", "{"],
            &["#define X(a) \\", "> if (a)"],
            &["x = 1", "> + a < b;"],
            &["> for x in all", "    .filter(y)"],
        ] {
            assert!(!is_whole_among(lines), "{lines:?}");
        }
    }

    #[test]
    fn whole_decisions_are_whole() {
        for lines in [
            &["x = 1;", "> if (a)", "{"][..],
            &["/* why", " * so */", "> if (a)", "    *p = 1;"],
            &["x = 1;", "> } else if (a > 3 && (b || !c)) {", "    && x"],
            &["#endif", "> while (a) ;", "#ifdef X", "x();"],
            &["begin", "> if A < B then", "   C;"],
            &["-- Why.", "> if A < B", "then"],
            &["> if a < b {", "    x();"],
            &["if (x)", "> return a < b;", "else"],
            &["let y = 1;", "> a < b", "}"],
            &["> if (f(a) < 3) return;", "x();"],
            &["case 3:", "> x = a < b;", "break;"],
        ] {
            assert!(is_whole_among(lines), "{lines:?}");
        }
    }
}
