//! Patterns in the words of PostgreSQL's regular expressions.
//!
//! What is written is not the pattern but what our own engine has made of it, where flags and cases are resolved: classes, alternatives, repetitions and
//! boundaries, each of which the server has too. Nothing is captured and nothing refers back, so the server matches without backtracking.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use crate::functions::pattern::parse;

/// The most that stands in the braces of a repetition.
const MOST: u32 = 255;

/// What is bound in place of a pattern with its flags; `None` if it is no pattern, which was refused when the query was bound.
#[must_use]
pub fn pattern(pattern: &str, flags: &str) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() * 4);
    write(&mut out, &parse(pattern, flags).ok()?)?;
    Some(out)
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

/// A character that can't be taken for an operator.
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
    // No text holds U+0000, and the server's engine can't be given it.
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

/// Lines end at CR, LF and CR LF, and nothing is between the latter two. Words are ASCII's, as in the collation "C" in which patterns are matched.
fn boundary(look: Look) -> Option<&'static str> {
    Some(match look {
        Look::Start => r"\A",
        Look::End => r"\Z",
        Look::StartCRLF => r"(?:\A|(?<=\u000A)|(?<=\u000D)(?!\u000A))",
        Look::EndCRLF => r"(?:\Z|(?=\u000D)|(?<!\u000D)(?=\u000A))",
        Look::WordAscii => r"\y",
        Look::WordAsciiNegate => r"\Y",
        // Nothing that is rewritten asks for others.
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

/// An atom so many times, or up to so many times, whatever the number is.
fn times(out: &mut String, atom: &str, from: &str, count: u32) {
    let (many, rest) = (count / MOST, count % MOST);
    if many > 0 {
        times(out, &format!("(?:{atom}{{{from}{MOST}}})"), "", many);
    }
    if rest > 0 {
        out.push_str(&format!("{atom}{{{from}{rest}}}"));
    }
}
