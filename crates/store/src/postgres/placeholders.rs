//! The placeholders of our statements, `?1, ?2 …`, as PostgreSQL writes them: `$1, $2 …`.

/// The statement with PostgreSQL's placeholders. Text in quotes or comments is not changed.
pub(super) fn numbered(sql: &str) -> String {
    let bytes = sql.as_bytes();
    let mut out = String::with_capacity(sql.len());
    let (mut at, mut copied) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        at = match byte {
            b'\'' | b'"' => end_of_quoted(bytes, at),
            b'-' if bytes[at..].starts_with(b"--") => end_of(bytes, at, b"\n"),
            b'/' if bytes[at..].starts_with(b"/*") => end_of(bytes, at + 2, b"*/"),
            b'?' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                out.push_str(&sql[copied..at]);
                out.push('$');
                copied = at + 1;
                copied
            }
            _ => at + 1,
        };
    }
    out.push_str(&sql[copied..]);
    out
}

/// The position after the closing quote of the quoted text at `start`. A doubled quote is an escaped one:
/// continuing from the second quote finds the same end.
fn end_of_quoted(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start + 1..];
    rest.iter()
        .position(|byte| *byte == bytes[start])
        .map_or(bytes.len(), |place| start + place + 2)
}

/// The position after the next `mark`, or the end.
fn end_of(bytes: &[u8], start: usize, mark: &[u8]) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    rest.windows(mark.len())
        .position(|window| window == mark)
        .map_or(bytes.len(), |place| start + place + mark.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered_with_dollars_outside_of_quotes_and_comments() {
        for (ours, theirs) in [
            ("SELECT ?1, ?12", "SELECT $1, $12"),
            ("SELECT '?1', ?1", "SELECT '?1', $1"),
            ("SELECT 'it''s ?1', ?2", "SELECT 'it''s ?1', $2"),
            (
                r#"SELECT "a""?1", ?1 FROM t"#,
                r#"SELECT "a""?1", $1 FROM t"#,
            ),
            ("SELECT ?1 -- ?2\n, ?3", "SELECT $1 -- ?2\n, $3"),
            ("SELECT /* ?1 ' */ ?2", "SELECT /* ?1 ' */ $2"),
            ("SELECT a ? 'b', å, ?1", "SELECT a ? 'b', å, $1"),
            ("SELECT 'open ?1", "SELECT 'open ?1"),
            ("", ""),
        ] {
            assert_eq!(numbered(ours), theirs);
        }
    }
}
