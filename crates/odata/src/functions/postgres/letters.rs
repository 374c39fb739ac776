//! `tolower`, `toupper` and `trim`, with the tables of characters that Rust has: a server knows as many as
//! its locale does, in the version it was built with.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// Characters that are replaced together. `translate` scans its whole table for each character it does not
/// find, so the tables that most texts need are small: Latin, Greek, Cyrillic, Armenian and Georgian,
/// Vietnamese, and between and after them the rest.
const GROUPS: &[RangeInclusive<char>] = &[
    '\u{80}'..='\u{FF}',
    '\u{100}'..='\u{17F}',
    '\u{180}'..='\u{36F}',
    '\u{370}'..='\u{3FF}',
    '\u{400}'..='\u{45F}',
    '\u{460}'..='\u{52F}',
    '\u{530}'..='\u{10FF}',
    '\u{1100}'..='\u{1DFF}',
    '\u{1E00}'..='\u{1EFF}',
    '\u{1F00}'..=LAST,
];

/// No script with cases comes after it, and a scan of all characters takes time.
const LAST: char = '\u{1FFFF}';

pub(super) fn definitions() -> String {
    let mut out = String::new();
    mapping(&mut out, "lower", char::to_lowercase);
    mapping(&mut out, "upper", char::to_uppercase);
    let spaces: String = ('\0'..=LAST)
        .filter(|c| c.is_whitespace())
        .map(|c| format!("\\u{:04X}", u32::from(c)))
        .collect();
    let _ = write!(
        out,
        "CREATE OR REPLACE FUNCTION odata_trim(value text) RETURNS text\n\
         LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT btrim(value, E'{spaces}') $$;\n"
    );
    out
}

/// The function for texts of ASCII, which is laid into a statement, and the one for all others.
fn mapping<M: Iterator<Item = char>>(out: &mut String, name: &str, map: fn(char) -> M) {
    let _ = write!(
        out,
        "CREATE OR REPLACE FUNCTION odata_{name}_wide(value text) RETURNS text\n\
         LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$\n\
         BEGIN\n  value := {name}(value COLLATE \"C\");\n"
    );
    let mapped: Vec<(char, String)> = ('\u{80}'..=LAST)
        .filter(|c| !map(*c).eq([*c]))
        .map(|c| (c, map(c).collect()))
        .collect();
    let mut rest = mapped.as_slice();
    for (at, group) in GROUPS.iter().enumerate() {
        // Most texts beyond Latin-1 contain none of these but a dash or a currency sign; and most in Cyrillic
        // no rarer letters.
        if at == 1 || at == 5 {
            let _ = writeln!(
                out,
                "  IF value COLLATE \"C\" !~ '[{}]' THEN RETURN value; END IF;",
                class(rest)
            );
        }
        let end = rest.partition_point(|(c, _)| c <= group.end());
        let (here, others) = rest.split_at(end);
        rest = others;
        if !here.is_empty() {
            replacement(out, here);
        }
    }
    let _ = write!(
        out,
        "  RETURN value;\nEND $$;\n\n\
         CREATE OR REPLACE FUNCTION odata_{name}(value text) RETURNS text\n\
         LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$\n  \
         SELECT CASE WHEN octet_length(value) = char_length(value) THEN {name}(value COLLATE \"C\") ELSE odata_{name}_wide(value) END\n$$;\n\n"
    );
}

/// Replaces characters, if any of them occurs: one for one at once, one for several in turn. No character is
/// mapped to one that is mapped again.
fn replacement(out: &mut String, mapped: &[(char, String)]) {
    let (single, several): (Vec<_>, Vec<_>) =
        mapped.iter().partition(|(_, to)| to.chars().count() == 1);
    let from: String = single.iter().map(|(c, _)| *c).collect();
    let to: String = single.iter().map(|(_, to)| to.as_str()).collect();
    let _ = writeln!(
        out,
        "  IF value COLLATE \"C\" ~ '[{}]' THEN\n    value := translate(value, '{from}', '{to}');",
        class(mapped)
    );
    for (c, to) in several {
        let _ = writeln!(
            out,
            "    value := replace(value COLLATE \"C\", '{c}', '{to}');"
        );
    }
    out.push_str("  END IF;\n");
}

/// The inside of a bracket expression.
fn class(mapped: &[(char, String)]) -> String {
    let mut out = String::new();
    let mut rest = mapped.iter().map(|(c, _)| *c).peekable();
    while let Some(first) = rest.next() {
        let mut last = first;
        while let Some(next) = rest.next_if(|next| u32::from(*next) == u32::from(last) + 1) {
            last = next;
        }
        out.push(first);
        if last > first {
            out.push('-');
            out.push(last);
        }
    }
    out
}
