//! `matchespattern`: regular expressions in ECMAScript's syntax, on an engine whose time is linear in the text.
//!
//! Lookaround and back references are refused: they are what makes a pattern exponential. The rest is rewritten where the two
//! syntaxes would read it differently.

use std::cell::RefCell;

use regex::{Regex, RegexBuilder};

use super::{Arg, Out, ScalarError};

/// Bytes a compiled pattern may take; `(a{999}){999}` would take a gigabyte.
const MOST_BYTES: usize = 1 << 20;

/// How many compiled patterns a thread keeps: more than a filter of a usual request has.
pub(crate) const KEPT: usize = 8;

struct Kept {
    pattern: String,
    flags: String,
    regex: Regex,
}

thread_local! {
    /// Compiling costs far more than matching, and a statement asks for the same pattern on every row.
    static LAST: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// `(text, pattern, flags)`: 1 if the pattern is found in the text, else 0. A pattern that can't be compiled was refused when
/// the query was bound; here it finds nothing.
pub(super) fn matches(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    let [Arg::Text(text), Arg::Text(pattern), Arg::Text(flags)] = args else {
        return Ok(Out::Null);
    };
    let found = LAST.with_borrow_mut(|kept| {
        if let Some(known) = kept
            .iter()
            .find(|known| known.pattern == *pattern && known.flags == *flags)
        {
            return known.regex.is_match(text);
        }
        let Ok(regex) = compile(pattern, flags) else {
            return false;
        };
        let found = regex.is_match(text);
        kept.truncate(KEPT - 1);
        kept.insert(
            0,
            Kept {
                pattern: (*pattern).to_owned(),
                flags: (*flags).to_owned(),
                regex,
            },
        );
        found
    });
    Ok(Out::Int(found.into()))
}

/// A pattern ready to use, or why it can't be one.
pub(crate) fn compile(pattern: &str, flags: &str) -> Result<Regex, String> {
    if let Some(flag) = flags.chars().find(|flag| !"imsu".contains(*flag)) {
        return Err(format!(
            "the flag `{}` is not known; the flags are i, m, s and u",
            flag.escape_debug()
        ));
    }
    let rewritten = rewrite(pattern, flags.contains('s'));
    RegexBuilder::new(&rewritten)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .size_limit(MOST_BYTES)
        .nest_limit(50)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                "it is too large once its repetitions are written out".to_owned()
            }
            // The engine's message draws the pattern over several lines; its last line says what is wrong.
            other => other
                .to_string()
                .lines()
                .last()
                .unwrap_or("it is no regular expression")
                .trim_start_matches("error: ")
                .to_owned(),
        })
}

/// ECMAScript's meaning in the engine's syntax: `\d` and `\w` are ASCII, a dot stops at four line ends, and in a class `[`, `&`
/// and `~` are plain characters.
fn rewrite(pattern: &str, dot_matches_all: bool) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') => out.push_str("[0-9]"),
                Some('D') => out.push_str("[^0-9]"),
                Some('w') => out.push_str("[0-9A-Za-z_]"),
                Some('W') => out.push_str("[^0-9A-Za-z_]"),
                Some('b') if in_class => out.push_str("\\x08"),
                Some('b') => out.push_str("(?-u:\\b)"),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            '[' if !in_class => {
                in_class = true;
                out.push('[');
            }
            '[' | '&' | '~' if in_class => out.extend(['\\', c]),
            ']' => {
                in_class = false;
                out.push(']');
            }
            '.' if !in_class && !dot_matches_all => out.push_str("[^\\n\\r\\u{2028}\\u{2029}]"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, pattern: &str, flags: &str) -> Result<Out, ScalarError> {
        matches(&[Arg::Text(text), Arg::Text(pattern), Arg::Text(flags)])
    }

    // Expected answers are those of ECMAScript (RegExp.prototype.test).
    #[test]
    fn patterns_mean_what_they_do_in_ecmascript() {
        for (text, pattern, flags, expected) in [
            ("Alfreds", "^A.*s$", "", true),
            ("an Alfred", "^A", "", false),
            ("alfreds", "^A", "i", true),
            ("one\nberg\ntwo", "berg$", "", false),
            ("one\nberg\ntwo", "berg$", "m", true),
            ("a\nb", "a.b", "", false),
            ("a\nb", "a.b", "s", true),
            ("a\u{2028}b", "a.b", "", false),
            ("٣", r"^\d$", "", false),
            ("ø", r"\w", "", false),
            ("7", r"^[\d]$", "", true),
            ("[", "^[[]$", "", true),
            ("&", "^[a&&b]$", "", true),
            ("a/b", r"a\/b", "", true),
            ("oil leak", r"\bleak\b", "", true),
            ("Ø", r"^\u00D8$", "", true),
        ] {
            assert_eq!(
                found(text, pattern, flags),
                Ok(Out::Int(expected.into())),
                "{pattern} on {text}"
            );
        }
        assert_eq!(
            matches(&[Arg::Null, Arg::Text("a"), Arg::Text("")]),
            Ok(Out::Null)
        );
    }

    #[test]
    fn what_is_no_pattern_or_costs_too_much_is_refused() {
        for (pattern, flags) in [
            ("(", ""),
            ("*a", ""),
            (r"(a)\1", ""),
            ("(?=a)", ""),
            ("(a{999}){999}", ""),
            ("a", "g"),
            ("[", ""),
        ] {
            assert!(compile(pattern, flags).is_err(), "{pattern} {flags}");
        }
        let deep = format!("{}a{}", "(".repeat(1_000), ")".repeat(1_000));
        assert!(compile(&deep, "").is_err());
    }
}
