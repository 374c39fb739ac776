//! Escapes texts of a server for a terminal.
//!
//! A terminal interprets control characters: a title could move the cursor, hide lines or change the window.
//! So they are shown as Rust escapes, `\u{1b}`. Data that is stored or forwarded is not changed.

use std::borrow::Cow;
use std::fmt;

/// Makes a text safe to print on a terminal: control characters other than line feed and tab, and characters
/// that change the direction of surrounding text, are replaced by `\u{…}`.
///
/// Messages of this crate's errors are escaped in this way, including line feeds. If you print records,
/// escape them yourself:
///
/// ```
/// let title = "Pump\u{1b}[2J\u{202e}3";
/// assert_eq!(obeya::printable(title), r"Pump\u{1b}[2J\u{202e}3");
/// assert_eq!(obeya::printable("Pumpe 3, rød\n"), "Pumpe 3, rød\n");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |character| {
        is_unsafe(character) && !matches!(character, '\n' | '\t')
    })
}

/// A text within a one-line message.
pub(crate) struct OneLine<T>(pub(crate) T);

impl<T: AsRef<str>> fmt::Display for OneLine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(self.0.as_ref(), is_unsafe))
    }
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_escaped(character) {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// C0, DEL and C1; line and paragraph separators; directional embeddings, overrides and isolates (UAX #9).
/// The directional marks (U+200E, U+200F, U+061C) are not escaped: they are part of right-to-left texts and
/// affect only a word.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_takes_for_a_command_is_shown() {
        for (text, shown) in [
            ("\u{1b}[31mred", r"\u{1b}[31mred"),
            ("\u{9b}31mred", r"\u{9b}31mred"),
            ("a\u{7}b\u{7f}c\0", r"a\u{7}b\u{7f}c\u{0}"),
            ("one\rtwo", r"one\u{d}two"),
            ("\u{202e}txt.exe\u{2066}", r"\u{202e}txt.exe\u{2066}"),
            ("a\u{2028}b", r"a\u{2028}b"),
            ("two\n\tlines", "two\n\tlines"),
            ("Ærlig 💡 \u{200f}שלום", "Ærlig 💡 \u{200f}שלום"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn a_message_stays_on_its_line() {
        assert_eq!(OneLine("a\nerror: b\t").to_string(), r"a\u{a}error: b\u{9}");
    }
}
