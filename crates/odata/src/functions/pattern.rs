//! `matchespattern`: regular expressions in ECMAScript's syntax, on an engine whose time is linear in the
//! text.
//!
//! Lookaround and back references are refused, because they make a pattern exponential. The rest is rewritten
//! for the engine by [`ecmascript`]. Characters are code points, and their case is folded as under flag u,
//! given or not: texts here have no UTF-16 units.

use std::cell::RefCell;

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use super::{Arg, Out, ScalarError, ecmascript};
use crate::limits::MAX_PATTERNS;

/// Bytes a compiled pattern may take: the work for one character of a text grows with them, and
/// `(a{999}){999}` would take a gigabyte.
const MOST_BYTES: usize = 1 << 16;

/// The maximum nesting of groups: engines recurse.
const MOST_NESTED: u32 = 50;

struct Kept {
    pattern: String,
    flags: String,
    regex: Regex,
}

thread_local! {
    /// Compiling costs far more than matching, and a statement uses the same pattern for every row.
    static LAST: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// `(text, pattern, flags)`: 1 if the pattern is found in the text, else 0. A pattern that can't be compiled
/// was refused when the query was bound; here it finds nothing.
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
        kept.truncate(MAX_PATTERNS - 1);
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
    RegexBuilder::new(&rewrite(pattern, flags)?)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        // A line ends at either of CR and LF; with this off, `$` would match after the CR.
        .crlf(flags.contains('m'))
        .size_limit(MOST_BYTES)
        .nest_limit(MOST_NESTED)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                format!("it is too large: compiled it takes more than {MOST_BYTES} bytes")
            }
            // The engine's message shows the pattern over several lines; its last line has the reason.
            other => other
                .to_string()
                .lines()
                .last()
                .unwrap_or("it is no regular expression")
                .trim_start_matches("error: ")
                .to_owned(),
        })
}

/// The syntax tree of a pattern, for another engine: the options are those of [`compile`].
pub(super) fn parse(pattern: &str, flags: &str) -> Result<Hir, String> {
    ParserBuilder::new()
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .crlf(flags.contains('m'))
        .nest_limit(MOST_NESTED)
        .build()
        .parse(&rewrite(pattern, flags)?)
        .map_err(|error| error.to_string())
}

fn rewrite(pattern: &str, flags: &str) -> Result<String, String> {
    if let Some(flag) = flags.chars().find(|flag| !"imsu".contains(*flag)) {
        return Err(format!(
            "the flag `{}` is not known; the flags are i, m, s and u",
            flag.escape_debug()
        ));
    }
    ecmascript::rewrite(pattern, flags.contains('s'), flags.contains('u'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, pattern: &str, flags: &str) -> Result<Out, ScalarError> {
        matches(&[Arg::Text(text), Arg::Text(pattern), Arg::Text(flags)])
    }

    // Expected answers are those of ECMA-262 (RegExp.prototype.test), with annex B without flag u.
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
            // WordCharacters are ASCII's, so `ø` ends a word.
            ("Støperi", r"\Bperi", "", false),
            ("peri", r"\Bperi", "", false),
            ("Staperi", r"\Bperi", "", true),
            ("ø", r"\B", "", true),
            // WhiteSpace has U+FEFF and not U+0085.
            ("\u{FEFF}", r"^\s$", "", true),
            ("\u{FEFF}", r"\S", "", false),
            ("\u{85}", r"\s", "", false),
            ("\u{3000}\u{2028}\u{A0}\u{B}", r"^[\s]+$", "", true),
            // IdentityEscape: a sign or letter that means nothing else is itself.
            ("Aa", r"^\Aa", "", true),
            ("a", r"\Aa", "", false),
            ("z", r"^\z$", "", true),
            ("<b>", r"^\<b\>$", "", true),
            ("b", r"\<b\>", "", false),
            ("B", r"^[\B]$", "", true),
            ("#-~&", r"^\#\-\~\&$", "", true),
            // ClassContents: only `]`, `\`, `^` in front and `-` are special.
            ("-", "^[a--b]$", "", false),
            ("[", "[]", "", false),
            ("a", "[]", "", false),
            ("\n", "^[^]$", "", true),
            ("&", "^[a&&b]$", "", true),
            ("a", "^[a~~b]$", "", true),
            ("-", r"^[\d-x]$", "", true),
            ("w", r"^[\d-x]$", "", false),
            ("-", "^[a-]$", "", true),
            ("é", "^[à-ï]$", "", true),
            ("É", "^[à-ï]$", "i", true),
            ("ø", r"^[^\W]$", "", false),
            (":]", "^[[:alpha:]]$", "", true),
            // ExtendedPatternCharacter: braces that are no quantifier.
            ("a{", "^a{$", "", true),
            ("a{,2}", "^a{,2}$", "", true),
            ("aa", "^a{,2}$", "", false),
            ("a{ 2}", "^a{ 2}$", "", true),
            ("aa", "^a{ 2}$", "", false),
            ("a}]", "^a}]$", "", true),
            ("aaa", "^a{2,}?$", "", true),
            ("\u{1}", r"^\cA$", "", true),
            ("\u{1A}", r"^[\cz]$", "", true),
            ("\0", r"^\0$", "", true),
            ("xg", r"^\xg$", "", true),
            ("ÿ", r"^\xff$", "", true),
            ("😀", r"^\uD83D\uDE00$", "", true),
            ("😀", r"^\u{1F600}$", "u", true),
            ("ab", "^(?<first>a)(?:b)$", "", true),
            // No flag makes white space or `#` anything but itself.
            ("ab", "a b", "", false),
            ("a#b", "^a#b$", "", true),
            ("a\r\nb", "a$", "m", true),
            ("a\rb", "^b", "m", true),
            ("a\n", "a$", "", false),
            ("\u{2029}", "^.$", "s", true),
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
            ("(a{99}){99}", ""),
            ("a{99999999999}", ""),
            ("a", "g"),
            ("[", ""),
            ("(?x)a b", ""),
            ("(?i)A", ""),
            ("(?i:A)", ""),
            ("(?P<n>a)", ""),
            ("(?<n>a)(?<n>b)", ""),
            ("(?<1>a)", ""),
            ("(?<!a)b", ""),
            ("(?<=a)b", ""),
            ("(?#a)", ""),
            (r"\k<n>", ""),
            (r"\p{L}", ""),
            (r"\P{L}", "u"),
            (r"\u{61}", ""),
            (r"\u{110000}", "u"),
            (r"\uD83D", ""),
            (r"\01", ""),
            (r"\c1", ""),
            ("a\\", ""),
            ("a**", ""),
            ("a+*", ""),
            ("a{2}{3}", ""),
            ("a{2,1}", ""),
            ("{2}", ""),
            ("^*", ""),
            (r"\b+", ""),
            ("(*a)", ""),
            ("a|*", ""),
            (")", ""),
            ("[b-a]", ""),
            // The syntax of annex B is an error under flag u.
            (r"\A", "u"),
            (r"\<", "u"),
            (r"\-", "u"),
            (r"[\B]", "u"),
            (r"[\d-x]", "u"),
            ("a{", "u"),
            ("a]", "u"),
            (r"\xg", "u"),
        ] {
            assert!(compile(pattern, flags).is_err(), "{pattern} {flags}");
        }
        let deep = format!("{}a{}", "(".repeat(1_000), ")".repeat(1_000));
        assert!(compile(&deep, "").is_err());
    }
}
