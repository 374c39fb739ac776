//! Patterns in the syntax of PostgreSQL's regular expressions.
//!
//! The output is written from our own engine's syntax tree, in which flags and cases are resolved, and not
//! from the pattern: classes, alternatives, repetitions and boundaries, all of which the server has too.
//! Nothing is captured and there are no back references, so the server matches without backtracking.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use crate::functions::pattern::parse;

/// The largest number in the braces of a repetition.
const MOST: u32 = 255;

/// How many parts that may be empty a pattern may have here. The server writes out every way through a row of
/// them before it reads a text: 400 times `a?` take it six seconds.
const MOST_EMPTY: u32 = 200;

/// A pattern that the server refuses with its error for patterns that are too large.
const REFUSED: &str = "a{256}";

/// The bound value for a pattern with its flags; `None` if it is no pattern, which was refused when the query
/// was bound. A pattern that is too large for the server becomes one that it refuses: only running a
/// statement may fail.
#[must_use]
pub fn pattern(pattern: &str, flags: &str) -> Option<String> {
    let hir = parse(pattern, flags).ok()?;
    if may_be_empty(&hir) > MOST_EMPTY {
        return Some(REFUSED.to_owned());
    }
    let mut out = String::with_capacity(pattern.len() * 4);
    write(&mut out, &hir)?;
    Some(out)
}

/// The number of parts that may be empty, repetitions written out.
fn may_be_empty(hir: &Hir) -> u32 {
    let is_optional = |hir: &Hir| hir.properties().minimum_len() == Some(0);
    let sum = |parts: &[Hir]| parts.iter().map(may_be_empty).fold(0, u32::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => 0,
        HirKind::Capture(group) => may_be_empty(&group.sub),
        HirKind::Concat(parts) => sum(parts),
        // Alternatives that depend on their neighbours weigh more: a dozen times `(\b|\B|a)` is already too
        // much.
        HirKind::Alternation(branches) if is_optional(hir) => {
            let looks = branches
                .iter()
                .filter(|branch| is_optional(branch) && !branch.properties().look_set().is_empty())
                .fold(0_u32, |looks, _| looks.saturating_add(8));
            sum(branches).saturating_add(looks).saturating_add(1)
        }
        HirKind::Alternation(branches) => sum(branches),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let times = max.unwrap_or(*min).max(1);
            let one = may_be_empty(sub);
            if is_optional(sub) {
                one.max(1).saturating_mul(times)
            } else {
                one.saturating_mul(times)
                    .saturating_add(u32::from(*min == 0))
            }
        }
    }
}

fn write(out: &mut String, hir: &Hir) -> Option<()> {
    match hir.kind() {
        HirKind::Empty => out.push_str("(?:)"),
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0)
            .ok()?
            .chars()
            .for_each(|c| char(out, c)),
        HirKind::Class(set) => class(out, set)?,
        HirKind::Look(look) => out.push_str(boundary(*look)?),
        HirKind::Repetition(repetition) => repeat(out, repetition)?,
        HirKind::Capture(group) => write(out, &group.sub)?,
        HirKind::Concat(parts) => {
            for part in parts {
                write(out, part)?;
            }
        }
        HirKind::Alternation(branches) => {
            for (at, branch) in branches.iter().enumerate() {
                out.push_str(if at == 0 { "(?:" } else { "|" });
                write(out, branch)?;
            }
            out.push(')');
        }
    }
    Some(())
}

/// A character, escaped so that it is no operator.
fn char(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() {
        out.push(c);
    } else if let Ok(code) = u16::try_from(u32::from(c)) {
        out.push_str(&format!("\\u{code:04X}"));
    } else {
        out.push_str(&format!("\\U{:08X}", u32::from(c)));
    }
}

fn class(out: &mut String, class: &Class) -> Option<()> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class
            .iter()
            .map(|range| (range.start(), range.end()))
            .collect(),
        Class::Bytes(class) if class.is_ascii() => class
            .iter()
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
        Class::Bytes(_) => return None,
    };
    // No text contains U+0000, and the server's engine does not accept it.
    let mut ranges = ranges
        .into_iter()
        .map(|(first, last)| (first.max('\u{1}'), last))
        .filter(|(first, last)| first <= last)
        .peekable();
    if ranges.peek().is_none() {
        // Nothing: nowhere does the empty text not follow.
        out.push_str("(?!)");
        return Some(());
    }
    out.push('[');
    for (first, last) in ranges {
        char(out, first);
        if first < last {
            out.push('-');
            char(out, last);
        }
    }
    out.push(']');
    Some(())
}

/// Lines end at CR, LF and CR LF, and nothing is between the latter two. Word characters are ASCII's, as in
/// the collation "C" in which patterns are matched.
fn boundary(look: Look) -> Option<&'static str> {
    Some(match look {
        Look::Start => r"\A",
        Look::End => r"\Z",
        Look::StartCRLF => r"(?:\A|(?<=\u000A)|(?<=\u000D)(?!\u000A))",
        Look::EndCRLF => r"(?:\Z|(?=\u000D)|(?<!\u000D)(?=\u000A))",
        Look::WordAscii => r"\y",
        Look::WordAsciiNegate => r"\Y",
        // The rewritten pattern needs no others.
        _ => return None,
    })
}

fn repeat(out: &mut String, repetition: &Repetition) -> Option<()> {
    let mut atom = "(?:".to_owned();
    write(&mut atom, &repetition.sub)?;
    atom.push(')');
    match (repetition.min, repetition.max) {
        (0, None) => out.push_str(&format!("{atom}*")),
        (1, None) => out.push_str(&format!("{atom}+")),
        (0, Some(1)) => out.push_str(&format!("{atom}?")),
        (least, Some(most)) if most <= MOST => out.push_str(&format!("{atom}{{{least},{most}}}")),
        (least, None) => {
            times(out, &atom, "", least);
            out.push_str(&format!("{atom}*"));
        }
        (least, Some(most)) => {
            times(out, &atom, "", least);
            times(out, &atom, "0,", most - least);
        }
    }
    Some(())
}

/// An atom repeated exactly or at most this many times, whatever the number is.
fn times(out: &mut String, atom: &str, from: &str, count: u32) {
    let (many, rest) = (count / MOST, count % MOST);
    if many > 0 {
        times(out, &format!("(?:{atom}{{{from}{MOST}}})"), "", many);
    }
    if rest > 0 {
        out.push_str(&format!("{atom}{{{from}{rest}}}"));
    }
}
