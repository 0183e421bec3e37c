//! Untrusted text, made fit to be shown: names may hold control characters for terminals.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a terminal, or a viewer of text, obeys a character rather than show it: control
/// characters, and those that turn the direction of writing or end a line.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped<'a>(text: &'a str, spared: &[char]) -> Cow<'a, str> {
    let is_bad = |c: char| is_obeyed(c) && !spared.contains(&c);
    if !text.chars().any(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_bad(c) {
            let _ = write!(out, "{}", c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// On one line.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, &[])
}

/// Lines stay lines.
#[cfg(feature = "cli")]
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, &['\n'])
}

/// JSON whose strings hold nothing that a terminal obeys: the same values.
#[cfg(feature = "cli")]
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_obeyed(c) && c != '\n') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_obeyed(c) && c != '\n' {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Text of HTML, or the value of an attribute.
#[cfg(feature = "record")]
pub(crate) fn in_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// A word or sentence in Markdown, also within a table: nothing in it is markup.
#[cfg(feature = "cli")]
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '#' | '&' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c if is_obeyed(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The same as code. A cell of a table ends at a bar even there.
#[cfg(feature = "cli")]
pub(crate) fn markdown_code(text: &str) -> String {
    let text = line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{}{space}{fence}", text.replace('|', "\\|"))
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left_and_json_keeps_its_values() {
        for hostile in ["\x1b]0;x\x07", "a\u{9b}31mb", "\u{202e}evil", "two\nlines", "\r", "\x7f"] {
            assert!(!line(hostile).chars().any(is_obeyed));
            assert!(!lines(hostile).chars().any(|c| is_obeyed(c) && c != '\n'));
            let text = serde_json::to_string(hostile).unwrap();
            assert!(!json(&text).chars().any(is_obeyed), "{text}");
            assert_eq!(serde_json::from_str::<String>(&json(&text)).unwrap(), hostile);
        }
        assert_eq!(line("plain - ± ü"), "plain - ± ü");
    }

    #[test]
    fn markdown_has_no_markup_and_no_new_cell() {
        assert_eq!(markdown("a|b <img> [x](y) `c`\n# d"), r"a\|b \<img\> \[x\](y) \`c\` \# d");
        assert_eq!(markdown_code("a`b|c"), "``a`b\\|c``");
        assert_eq!(markdown_code("`"), "`` ` ``");
        assert_eq!(markdown_code("hits"), "`hits`");
    }
}
