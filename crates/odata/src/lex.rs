//! Text → tokens with byte positions, in one pass.
//!
//! The lexer knows the forms of literals but no names: operators, functions and properties are all words.

use crate::ast::Literal;
use crate::error::{Error, ErrorKind, excerpt};
use crate::literal;

/// A token and the bytes it spans.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token<'a> {
    pub at: usize,
    pub end: usize,
    pub kind: TokenKind<'a>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenKind<'a> {
    /// A literal other than a number; keywords such as `null` are words.
    Literal(Literal),
    /// An unsigned number; the sign is the parser's, since `-` also negates.
    Number(&'a str),
    /// A name, an operator, or a dotted type name; also `$it`, `$count` and options' names inside
    /// parentheses.
    Word(&'a str),
    /// A parameter alias, without its `@`.
    Alias(&'a str),
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comma,
    Colon,
    Semicolon,
    Slash,
    Minus,
    Plus,
    Equals,
    Star,
    End,
}

impl Token<'_> {
    /// The token as a message shows it.
    pub(crate) fn show(&self) -> String {
        let mark = |text: &str| format!("`{text}`");
        match &self.kind {
            TokenKind::Literal(Literal::String(text)) => format!("the string '{}'", excerpt(text)),
            TokenKind::Literal(literal) => mark(&excerpt(&literal.to_string())),
            TokenKind::Number(text) | TokenKind::Word(text) => mark(&excerpt(text)),
            TokenKind::Alias(name) => format!("`@{}`", excerpt(name)),
            TokenKind::Open => mark("("),
            TokenKind::Close => mark(")"),
            TokenKind::OpenBracket => mark("["),
            TokenKind::CloseBracket => mark("]"),
            TokenKind::Comma => mark(","),
            TokenKind::Colon => mark(":"),
            TokenKind::Semicolon => mark(";"),
            TokenKind::Slash => mark("/"),
            TokenKind::Minus => mark("-"),
            TokenKind::Plus => mark("+"),
            TokenKind::Equals => mark("="),
            TokenKind::Star => mark("*"),
            TokenKind::End => "the end".to_owned(),
        }
    }
}

/// All tokens of a text, the last one [`TokenKind::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Error> {
    let mut out = Vec::with_capacity(text.len() / 4 + 2);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let token = token(text, at, c)?;
        at = token.end;
        out.push(token);
    }
    out.push(Token {
        at,
        end: at,
        kind: TokenKind::End,
    });
    Ok(out)
}

fn token(text: &str, at: usize, first: char) -> Result<Token<'_>, Error> {
    let simple = |kind| {
        Ok(Token {
            at,
            end: at + 1,
            kind,
        })
    };
    match first {
        '(' => simple(TokenKind::Open),
        ')' => simple(TokenKind::Close),
        '[' => simple(TokenKind::OpenBracket),
        ']' => simple(TokenKind::CloseBracket),
        ',' => simple(TokenKind::Comma),
        ':' => simple(TokenKind::Colon),
        ';' => simple(TokenKind::Semicolon),
        '/' => simple(TokenKind::Slash),
        '-' => simple(TokenKind::Minus),
        '+' => simple(TokenKind::Plus),
        '=' => simple(TokenKind::Equals),
        '*' => simple(TokenKind::Star),
        '\'' | '"' => {
            let (value, end) = quoted(text, at, first)?;
            Ok(Token {
                at,
                end,
                kind: TokenKind::Literal(Literal::String(value)),
            })
        }
        '@' => {
            let end = word_end(text, at + 1);
            if text[end..].starts_with('.') {
                return Err(Error::syntax(
                    at,
                    "found an annotation; annotations are not supported in expressions",
                ));
            }
            if end == at + 1 {
                return Err(Error::syntax(
                    at,
                    "found `@` without a name; a parameter alias is written `@name`",
                ));
            }
            Ok(Token {
                at,
                end,
                kind: TokenKind::Alias(&text[at + 1..end]),
            })
        }
        _ if first.is_ascii_hexdigit() && guid_ends_cleanly(text, at) => {
            let guid = text[at..at + 36].to_ascii_lowercase();
            Ok(Token {
                at,
                end: at + 36,
                kind: TokenKind::Literal(Literal::Guid(guid)),
            })
        }
        '0'..='9' => number_or_time(text, at),
        '$' => {
            let end = word_end(text, at + 1);
            Ok(Token {
                at,
                end,
                kind: TokenKind::Word(&text[at..end]),
            })
        }
        _ if first == '_' || first.is_alphabetic() => word(text, at),
        _ => Err(unexpected(text, at, first)),
    }
}

/// A character that begins no token, with the token that was probably meant.
fn unexpected(text: &str, at: usize, found: char) -> Error {
    let rest = &text[at..];
    let hint = if rest.starts_with("!=") {
        "; write `ne`"
    } else if rest.starts_with("<=") {
        "; write `le`"
    } else if rest.starts_with(">=") {
        "; write `ge`"
    } else {
        match found {
            '<' => "; write `lt`",
            '>' => "; write `gt`",
            '!' => "; write `not`",
            '&' => "; write `and`",
            '|' => "; write `or`",
            '%' => "; write `mod`, and encode the query string once only",
            '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => {
                "; strings are put in straight quotes (')"
            }
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                "; a number has a digit before its point: 0.5"
            }
            '{' => "; objects are not supported as values",
            _ => "",
        }
    };
    Error::syntax(
        at,
        format!(
            "found the character `{}`, which has no meaning here{hint}",
            found.escape_debug()
        ),
    )
}

/// A quoted string from its opening quote; a doubled quote is an escaped one. JSON's double quotes appear in
/// `in ["a","b"]`, where a backslash escapes.
fn quoted(text: &str, at: usize, quote: char) -> Result<(String, usize), Error> {
    let mut value = String::new();
    let mut chars = text[at + 1..].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            match chars.next() {
                Some((_, escaped @ ('"' | '\\' | '/'))) => value.push(escaped),
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, 'r')) => value.push('\r'),
                Some((_, 'b')) => value.push('\u{8}'),
                Some((_, 'f')) => value.push('\u{c}'),
                Some((_, other)) => {
                    let message = format!(
                        "found the escape `\\{}`; only \\\" \\\\ \\/ \\n \\t \\r \\b \\f are known",
                        other.escape_debug()
                    );
                    return Err(Error::syntax(at + 1 + offset, message));
                }
                None => break,
            }
        } else if c != quote {
            value.push(c);
        } else if quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == quote) {
            chars.next();
            value.push(quote);
        } else {
            return Ok((value, at + 1 + offset + 1));
        }
    }
    Err(Error::syntax(
        at,
        if quote == '\'' {
            "the string that begins here is not closed; a quote inside a string is doubled: 'O''Neil'"
        } else {
            "the string that begins here is not closed; expected \" at its end"
        },
    ))
}

/// Whether a name may contain a character.
pub(crate) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Whether a text has the characters of a name.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_alphabetic()) && text.chars().all(is_word)
}

/// Whether a word is read as a literal or an operator where a path may stand: nothing can have it as its
/// name.
pub(crate) fn is_literal_or_operator(word: &str) -> bool {
    let words = ["null", "true", "false", "not", "inf", "nan"];
    words.iter().any(|it| word.eq_ignore_ascii_case(it))
}

fn word_end(text: &str, at: usize) -> usize {
    text[at..]
        .find(|c| !is_word(c))
        .map_or(text.len(), |length| at + length)
}

fn guid_ends_cleanly(text: &str, at: usize) -> bool {
    literal::guid_prefix(&text[at..])
        .is_some_and(|guid| !text[at + guid.len()..].starts_with(is_word))
}

/// A word, a dotted word, or a literal with a prefix: `duration'PT1H'`, `Namespace.Type'Member'`.
fn word(text: &str, at: usize) -> Result<Token<'_>, Error> {
    let mut end = word_end(text, at);
    while text[end..].starts_with('.')
        && text[end + 1..].starts_with(|c: char| c == '_' || c.is_alphabetic())
    {
        end = word_end(text, end + 1);
    }
    let name = &text[at..end];
    if !text[end..].starts_with('\'') {
        return Ok(Token {
            at,
            end,
            kind: TokenKind::Word(name),
        });
    }
    let (value, close) = quoted(text, end, '\'')?;
    let literal = if name.eq_ignore_ascii_case("duration") {
        let ticks = literal::duration(&value).ok_or_else(|| {
            let message = format!("found the duration '{}'; expected days, hours, minutes and seconds as in P1DT2H30M5.5S", excerpt(&value));
            Error::new(ErrorKind::Value, at, message)
        })?;
        Literal::Duration(ticks)
    } else if name.contains('.') {
        Literal::Enum {
            type_name: name.to_owned(),
            member: value,
        }
    } else {
        // Prefixes of earlier versions.
        let meant = match name.to_ascii_lowercase().as_str() {
            "datetime" | "datetimeoffset" => {
                "; an instant is written 2024-01-31T00:00:00Z, without quotes"
            }
            "date" => "; a date is written 2024-01-31, without quotes",
            "time" | "timeofday" => "; a time of day is written 07:30:00, without quotes",
            "guid" => "; a GUID is written without quotes",
            "binary" | "x" => "; no property is binary",
            _ => "",
        };
        let message = format!(
            "found `{}` before a string; only `duration` and qualified type names may stand there{meant}",
            excerpt(name)
        );
        return Err(Error::syntax(at, message));
    };
    Ok(Token {
        at,
        end: close,
        kind: TokenKind::Literal(literal),
    })
}

fn number_or_time(text: &str, at: usize) -> Result<Token<'_>, Error> {
    if let Some((length, value)) = literal::temporal_prefix(&text[at..]) {
        let end = at + length;
        let found = &text[at..end];
        let value = value.map_err(|reason| {
            Error::new(ErrorKind::Value, at, format!("found `{found}`: {reason}"))
        })?;
        return ends_cleanly(text, at, end, TokenKind::Literal(value));
    }
    let bytes = text.as_bytes();
    let digits = |mut end: usize| {
        while bytes.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
        end
    };
    let mut end = digits(at);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        // In a query string a + becomes a space unless it is encoded; `1e5` needs none.
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    ends_cleanly(text, at, end, TokenKind::Number(&text[at..end]))
}

/// A number may not run into a name: `5abc` is one mistake, not two tokens.
fn ends_cleanly<'a>(
    text: &'a str,
    at: usize,
    end: usize,
    kind: TokenKind<'a>,
) -> Result<Token<'a>, Error> {
    if text[end..].starts_with(is_word) {
        let found = excerpt(&text[at..word_end(text, end)]);
        return Err(Error::syntax(
            at,
            format!("found `{found}`, which is neither a number nor a name"),
        ));
    }
    Ok(Token { at, end, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind<'_>> {
        tokens(text)
            .unwrap()
            .into_iter()
            .map(|token| token.kind)
            .collect()
    }

    #[test]
    fn positions_are_bytes() {
        let spans: Vec<_> = tokens("Ø eq 'æ''x'")
            .unwrap()
            .iter()
            .map(|t| (t.at, t.end))
            .collect();
        assert_eq!(spans, [(0, 2), (3, 5), (6, 13), (13, 13)]);
    }

    #[test]
    fn literals_are_distinguished() {
        assert_eq!(
            kinds(
                "2024 2024-01-01 12:30 1.5e3 3F2504E0-4f89-11d3-9a0c-0305e82c3301 duration'PT1S' A.B'c'"
            ),
            [
                TokenKind::Number("2024"),
                TokenKind::Literal(Literal::Date(19_723)),
                TokenKind::Literal(Literal::TimeOfDay(450_000_000_000)),
                TokenKind::Number("1.5e3"),
                TokenKind::Literal(Literal::Guid("3f2504e0-4f89-11d3-9a0c-0305e82c3301".into())),
                TokenKind::Literal(Literal::Duration(10_000_000)),
                TokenKind::Literal(Literal::Enum {
                    type_name: "A.B".into(),
                    member: "c".into()
                }),
                TokenKind::End,
            ]
        );
    }

    #[test]
    fn a_quote_is_doubled_in_single_and_escaped_in_double_quotes() {
        let string = |text: &str| TokenKind::Literal(Literal::String(text.to_owned()));
        assert_eq!(
            kinds(r#"'O''Neil' '' "a\"b" 'a\'"#),
            [
                string("O'Neil"),
                string(""),
                string("a\"b"),
                string("a\\"),
                TokenKind::End
            ]
        );
    }

    #[test]
    fn what_can_not_be_a_token_says_where() {
        for (text, at) in [
            ("a == 'x", 5),
            ("a < 1", 2),
            ("ab 5abc", 3),
            ("a eq 2024-02-30", 5),
            ("a #", 2),
            ("@ ", 0),
            ("int'5'", 0),
        ] {
            assert_eq!(tokens(text).unwrap_err().position, Some(at), "{text}");
        }
    }
}
