//! `matchespattern`: a pattern matches the same texts as with our own engine, which is tested against
//! ECMA-262 in its module.

use obeya_odata::functions::ScalarError;
use obeya_odata::functions::postgres::{fault, pattern};
use obeya_odata::sql::Value;

use super::server::Server;
use super::{Random, Rows, Ty, in_rust, text};
use crate::model::INCIDENT;
use crate::store::{bind, encode};

/// Patterns with every construct there is.
const PATTERNS: &[&str] = &[
    r"^(\d{1,3}\.){3}\d{1,3}(:\d+)?$",
    r"^\s*\w+\s*,?\s*\w*$",
    "(a?){60}b",
    "(a*b?){20}x",
    "x{0,700}y",
    "",
    "a",
    "^A.*s$",
    "berg$",
    "^b",
    "a.b",
    r"\d",
    r"^\D$",
    r"\w",
    r"^[\W]+$",
    r"\s",
    r"^\S*$",
    r"\bleak\b",
    r"\Bperi",
    r"\B",
    r"\b",
    r"a\/b",
    r"\u00D8",
    r"^\u00D8$",
    r"\Aa",
    r"\z",
    r"\<b\>",
    r"^[\B]$",
    r"\#\-\~\&",
    "[]",
    "[^]",
    "^[^]$",
    "[a&&b]",
    "^[a~~b]$",
    r"^[\d-x]$",
    "^[a-]$",
    "[à-ï]",
    r"^[^\W]$",
    "[[:alpha:]]",
    "^[[]$",
    "a{",
    "a{,2}",
    "a{ 2}",
    "a}]",
    "a{2,}?",
    "^a{2}$",
    "^a{0}$",
    "^a{0,0}b",
    "^a{1,3}$",
    "^(ab){2,3}?$",
    r"\cA",
    r"[\cz]",
    r"\0",
    r"[\0]",
    r"[^\0]",
    r"\xg",
    r"\xff",
    r"\uD83D\uDE00",
    "(?<first>a)(?:b)",
    "a b",
    "a#b",
    "a|b|",
    "(|a)b",
    "()",
    "(^)*a",
    "($)+",
    r"(\b)*a",
    "(a*)*b",
    "(a*)+$",
    "(a?){3}b",
    "(a|ab)(c|bcd)(d*)",
    "^$",
    "$^",
    "a$b",
    "a^b",
    r"^\s*$",
    r"(a+)+$",
    ".",
    "^.$",
    r"[\s\S]",
    r"[^\s\S]",
    r"\*\*\*:a",
    r"\*\*\*=a",
    "(?:)a",
    "\u{301}",
    "ß",
    "ſ",
    "K",
    "k",
    "σ",
    "ς",
    "ẞ",
    "İ",
    "i",
    "ı",
    "ǆ",
    "[^a]",
    "[^k]",
    "[k-s]",
    "x{300}",
    "^x{254,256}$",
    "^x{255}$",
    "^x{256}$",
    "^(x{2}){300}$",
    "^x{250,700}$",
    "^(x|y){300,}$",
    "x{600,}",
    "😀",
    "[😀-🙏]",
    "[^😀]",
    "\\\\",
    "[\\]\\\\]",
    "[\\^]",
    "^[^^]",
    "[-a]",
    "[+--]",
    "-",
    "\\.",
    "a\\.b",
];

/// Texts on which they differ.
const TEXTS: &[&str] = &[
    "",
    "a",
    "A",
    "b",
    "ab",
    "aab",
    "abc",
    "abcd",
    "aa",
    "aaa",
    "aaaa",
    "Alfreds",
    "an Alfred",
    "one\nberg\ntwo",
    "berg",
    "a\nb",
    "a\rb",
    "a\r\nb",
    "a\u{2028}b",
    "\r\n",
    "\n",
    "\r",
    "a\n",
    "\na",
    "a\r",
    "\ra",
    "b\r\na",
    "٣",
    "7",
    "ø",
    "Ø",
    "[",
    "]",
    "&",
    "a/b",
    "oil leak",
    "Støperi",
    "peri",
    "Staperi",
    "\u{FEFF}",
    "\u{85}",
    "\u{3000}\u{2028}\u{A0}\u{B}",
    "z",
    "<b>",
    "B",
    "#-~&",
    "-",
    "w",
    "x",
    "é",
    "É",
    ":]",
    "a{",
    "a{,2}",
    "a{ 2}",
    "a}]",
    "\u{1}",
    "\u{1A}",
    "xg",
    "ÿ",
    "😀",
    "🙏",
    "a b",
    "a#b",
    "\u{2029}",
    "aøa",
    "*",
    "***",
    "***:a",
    "k",
    "K",
    "K",
    "s",
    "S",
    "ſ",
    "ß",
    "ẞ",
    "SS",
    "σ",
    "ς",
    "Σ",
    "i",
    "I",
    "İ",
    "ı",
    "ǆ",
    "ǅ",
    "Ǆ",
    "e\u{301}",
    "\\",
    ".",
    "a.b",
    "^",
    "+",
    "a-b",
    "_",
    "tab\there",
];

fn texts() -> Vec<Value> {
    let long = [254, 255, 256, 299, 300, 599, 600, 700, 701].map(|length| "x".repeat(length));
    let mixed = format!("{}y", "x".repeat(300));
    TEXTS
        .iter()
        .map(|one| text(*one))
        .chain(long.map(text))
        .chain([text(mixed)])
        .collect()
}

/// Whether a request may use the pattern.
fn is_offered(pattern: &str, flags: &str) -> bool {
    let quoted = pattern.replace('\'', "''");
    let filter = format!("matchespattern(title,'{quoted}','{flags}')");
    bind(&INCIDENT, &format!("$filter={}", encode(&filter))).is_ok()
}

fn compare(server: &mut Server, written: &str, flags: &str, texts: &[Value]) {
    let here = pattern(written, flags).unwrap();
    let rows: Rows = texts
        .iter()
        .map(|one| vec![one.clone(), text(here.clone())])
        .collect();
    let types = &[Ty::Text, Ty::Text];
    let found = server
        .evaluate("odata_matches(a, b, '')", types, Ty::Int, &rows)
        .unwrap_or_else(|error| panic!("{written} with {flags:?}, as {here}: {error}"));
    for (one, found) in texts.iter().zip(found) {
        let expected =
            in_rust("odata_matches", &[one.clone(), text(written), text(flags)]).unwrap();
        assert_eq!(
            found, expected,
            "{written} with {flags:?}, as {here}, on {one:?}"
        );
    }
}

#[test]
fn patterns_find_the_same() {
    let mut server = Server::new();
    let texts = texts();
    for pattern in PATTERNS {
        for flags in ["", "im", "ms", "u"] {
            // The syntax of annex B is no pattern under flag u, and letters of both cases need more space.
            if !is_offered(pattern, flags) {
                assert!(flags.contains('i') || flags == "u", "{pattern} {flags}");
                continue;
            }
            compare(&mut server, pattern, flags, &texts);
        }
    }
}

#[test]
fn random_patterns_find_the_same() {
    let parts = [
        "a", "b", "A", "ø", "x", ".", "\\w", "\\W", "\\d", "\\s", "\\S", "\\b", "\\B", "^", "$",
        "|", "(", "(?:", ")", ")", "*", "+", "?", "{2}", "{0,2}", "{1,}", "[ab]", "[^ab]",
        "[^\\w]", "[x-ß]", "\\n", "\\r", "\\u2028", "-",
    ];
    let alphabet: Vec<char> = "abAøxX7 \n\r\u{2028}-ß_".chars().collect();
    let mut server = Server::new();
    let mut random = Random(17);
    let mut tried = 0;
    while tried < 600 {
        let length = 1 + random.below(9);
        let pattern: String = (0..length).map(|_| *random.of(&parts)).collect();
        let flags = *random.of(&["", "i", "m", "s", "im"]);
        if !is_offered(&pattern, flags) {
            continue;
        }
        tried += 1;
        let texts: Vec<Value> = (0..60).map(|_| text(random.text(&alphabet, 8))).collect();
        compare(&mut server, &pattern, flags, &texts);
    }
}

// Each of these, unchanged, takes the server seconds or all its memory, and our own engine nothing.
#[test]
fn what_is_too_much_for_the_server_is_refused_at_once() {
    let mut server = Server::new();
    for written in [
        "(a?){627}y".to_owned(),
        "(a*){906}y".to_owned(),
        "((a?){25}){25}y".to_owned(),
        "(^|$|a){379}".to_owned(),
        r"(\b|\B|a){300}".to_owned(),
        format!("{}y", "a?".repeat(400)),
    ] {
        assert!(is_offered(&written, ""), "{written}");
        let here = pattern(&written, "").unwrap();
        assert_eq!(here, "a{256}", "{written}");
        let types = &[Ty::Text, Ty::Text];
        let error = server
            .evaluate(
                "odata_matches(a, b, '')",
                types,
                Ty::Int,
                &vec![vec![text("x"), text(here)]],
            )
            .expect_err(&written);
        let fault = fault(error.code().unwrap().code());
        assert_eq!(fault, Some(ScalarError::Pattern), "{written}: {error}");
    }
}

#[test]
fn null_matches_nothing() {
    let mut server = Server::new();
    let types = &[Ty::Text, Ty::Text, Ty::Text];
    let rows = vec![vec![text("a"), text("a"), text("")]];
    server.compare("odata_matches(a, b, c)", types, Ty::Int, rows, |args| {
        in_rust("odata_matches", args)
    });
}
