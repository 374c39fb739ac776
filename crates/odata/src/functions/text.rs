//! Functions of strings: by Unicode's rules, counted in characters.

use super::{Arg, Out, ScalarError};

fn with_text(args: &[Arg<'_>], call: impl FnOnce(&str) -> String) -> Result<Out, ScalarError> {
    Ok(match args {
        [Arg::Text(text)] => Out::Text(call(text)),
        _ => Out::Null,
    })
}

/// `tolower`: SQLite's own maps ASCII only. Each character is mapped separately: Rust's own for texts maps a
/// sigma at the end of a word to another letter, which no other database can do.
pub(super) fn lower(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_text(args, |text| {
        if text.is_ascii() {
            text.to_ascii_lowercase()
        } else {
            text.chars().flat_map(char::to_lowercase).collect()
        }
    })
}

/// `toupper`
pub(super) fn upper(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_text(args, str::to_uppercase)
}

/// `trim`: all white space of Unicode, not only spaces.
pub(super) fn trim(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    with_text(args, |text| text.trim().to_owned())
}

fn compared(args: &[Arg<'_>], call: impl FnOnce(&str, &str) -> bool) -> Result<Out, ScalarError> {
    Ok(match args {
        [Arg::Text(text), Arg::Text(part)] => Out::Int(call(text, part).into()),
        _ => Out::Null,
    })
}

/// `startswith`, if its arguments are more than names and values.
pub(super) fn starts_with(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    compared(args, |text, part| text.starts_with(part))
}

/// `endswith`, likewise.
pub(super) fn ends_with(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    compared(args, |text, part| text.ends_with(part))
}

/// `substring(text,start)` and `substring(text,start,length)`: counted from 0; a negative start counts from
/// the end.
pub(super) fn substring(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    let (text, start, length) = match args {
        [Arg::Text(text), Arg::Int(start)] => (text, *start, i64::MAX),
        [Arg::Text(text), Arg::Int(start), Arg::Int(length)] => (text, *start, *length),
        _ => return Ok(Out::Null),
    };
    let length = usize::try_from(length).map_err(|_| ScalarError::NegativeLength)?;
    let skip = if start < 0 {
        let back = usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX);
        text.chars().count().saturating_sub(back)
    } else {
        usize::try_from(start).unwrap_or(usize::MAX)
    };
    Ok(Out::Text(text.chars().skip(skip).take(length).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Expected values from the specification's text: zero-based, cut at the end, from the end when negative.
    #[test]
    fn substrings() {
        let two = |start| substring(&[Arg::Text("Ølåst"), Arg::Int(start)]);
        assert_eq!(two(1), Ok(Out::Text("låst".into())));
        assert_eq!(two(9), Ok(Out::Text(String::new())));
        assert_eq!(two(-2), Ok(Out::Text("st".into())));
        assert_eq!(two(i64::MIN), Ok(Out::Text("Ølåst".into())));
        let three =
            |start, length| substring(&[Arg::Text("Ølåst"), Arg::Int(start), Arg::Int(length)]);
        assert_eq!(three(1, 2), Ok(Out::Text("lå".into())));
        assert_eq!(three(3, 99), Ok(Out::Text("st".into())));
        assert_eq!(three(0, -1), Err(ScalarError::NegativeLength));
        assert_eq!(substring(&[Arg::Null, Arg::Int(0)]), Ok(Out::Null));
    }

    #[test]
    fn case_and_space_follow_unicode() {
        assert_eq!(lower(&[Arg::Text("ÅÐΣ")]), Ok(Out::Text("åðσ".into())));
        assert_eq!(
            upper(&[Arg::Text("straße")]),
            Ok(Out::Text("STRASSE".into()))
        );
        assert_eq!(
            trim(&[Arg::Text("\u{a0}\t a \u{2003}")]),
            Ok(Out::Text("a".into()))
        );
    }
}
