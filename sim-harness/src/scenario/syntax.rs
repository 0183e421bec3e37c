//! Checks of a text of TOML before and besides its reading.

use toml_parser::Source;
use toml_parser::lexer::{Token, TokenKind};

/// `[units: keys]` How far keys and lists may lie within each other. Code that reads and drops them
/// calls itself for each, and a stack has an end.
pub(super) const MAX_DEPTH: usize = 32;

/// Refuses a key of too many parts.
pub(crate) fn check_key(key: &str) -> Result<(), String> {
    let depth = key.split(['.', '[']).count();
    if depth <= MAX_DEPTH { Ok(()) } else { Err(too_deep(depth)) }
}

fn too_deep(depth: usize) -> String {
    format!("a key within {} others: the limit is {MAX_DEPTH}", depth - 1)
}

/// Refuses text that is nested too deep, with its line: in keys with dots, tables and lists.
pub(super) fn check_depth(text: &str) -> Result<(), (usize, String)> {
    // Parts of the last header, of the keys whose values are open, and dots of the key at hand.
    let (mut header, mut open, mut within, mut parts) = (0, Vec::new(), 0, 0);
    let (mut is_header, mut begins_line) = (false, true);
    for token in Source::new(text).lex() {
        let kind = token.kind();
        match kind {
            TokenKind::Whitespace | TokenKind::Comment => continue,
            TokenKind::Newline if open.is_empty() => {
                (parts, within, is_header, begins_line) = (0, 0, false, true);
                continue;
            }
            TokenKind::Dot => parts += 1,
            TokenKind::Equals => (within, parts) = (parts + 1, 0),
            TokenKind::LeftSquareBracket if open.is_empty() && (begins_line || is_header) => {
                (is_header, header, parts) = (true, 0, 0);
            }
            TokenKind::RightSquareBracket if is_header => {
                (header, parts) = (header.max(parts + 1), 0);
            }
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                open.push(within.max(1));
                (within, parts) = (0, 0);
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                open.pop();
                (within, parts) = (0, 0);
            }
            TokenKind::Comma => (within, parts) = (0, 0),
            _ => {}
        }
        begins_line = false;
        let depth = header + open.iter().sum::<usize>() + within.max(parts + 1);
        if depth > MAX_DEPTH {
            return Err((line_at(text, token.span().start()), too_deep(depth)));
        }
    }
    Ok(())
}

/// The line, from 1, of a byte.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|&b| b == b'\n').count()
}

/// Where a text of several lines began that ends at an error or never ends: its forgotten end is
/// looked for from there. `at` is where the reading failed.
pub(super) fn open_text(text: &str, at: usize) -> Option<usize> {
    let is_lines = |token: &Token| {
        matches!(token.kind(), TokenKind::MlBasicString | TokenKind::MlLiteralString)
    };
    let before = Source::new(text).lex().take_while(|token| token.span().start() <= at);
    let last = before.filter(is_lines).last()?;
    let (start, end) = (last.span().start(), last.span().end());
    let body = &text[start..end];
    let quotes = &body[..3];
    let is_open = body.len() < 6 || !body.ends_with(quotes);
    // Or it ended where another one was meant to begin.
    let ran_over = body.strip_suffix(quotes).and_then(|body| body.lines().last());
    let ran_over = ran_over.is_some_and(|line| line.trim_end().ends_with('='));
    (is_open || ran_over).then(|| line_at(text, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_of_all_keys_on_the_way() {
        let dots = |n: usize| vec!["a"; n].join(".");
        for (text, fits) in [
            (format!("{} = 1", dots(32)), true),
            (format!("{} = 1", dots(33)), false),
            (format!("x = 1.5\n\n[{}]\nb.c = 2", dots(30)), true),
            (format!("[{}]\nb.c.d = 2", dots(30)), false),
            (format!("[[{}]]\nb = {{ c = {{ d = [1] }} }}", dots(29)), false),
            (format!("[[{}]]\nb = {{ c = {{ d = [1] }} }}", dots(28)), true),
            (format!("b = {}1{}", "[".repeat(31), "]".repeat(31)), true),
            (format!("b = {}1{}", "[".repeat(32), "]".repeat(32)), false),
            (format!("b = {}", "[".repeat(1_000_000)), false),
            // Text is no key.
            (format!("b = \"{0}\"\nc = '''\n{0} = 1\n'''\n# {0}", dots(99)), true),
            ("[[a.b]]\nc = [[1.0, 2.0], [3.0]]\n".repeat(1000), true),
        ] {
            assert_eq!(check_depth(&text).is_ok(), fits, "{text:.60}");
        }
        assert_eq!(check_depth(&format!("\n\n{} = 1", dots(40))).unwrap_err().0, 3);
    }

    #[test]
    fn text_that_never_ends_is_found_where_it_begins() {
        let fault = |text: &str| {
            let error = text.parse::<toml::Table>().unwrap_err();
            open_text(text, error.span().map_or(0, |span| span.start))
        };
        assert_eq!(fault("a = 1\nb = \"\"\"\nx\ny\n"), Some(2));
        assert_eq!(fault("b = '''\nx\ny\n"), Some(1));
        // The next text ends the first.
        assert_eq!(fault("a = 1\nb = \"\"\"\n#.#\nc = \"\"\"\n000\n\"\"\"\n"), Some(2));
        assert_eq!(fault("b = \"\"\"\nx\n\"\"\"\nc = = 1"), None);
    }
}
