//! The tokens of `$search` and of the indexed texts: one rule for both.
//!
//! Databases tokenise text differently, so they never do it here: the tokens of a text are stored with it,
//! those of a search are matched against them, and the index's own tokeniser only has to split at spaces.
//!
//! ```
//! use obeya_odata::search;
//!
//! assert_eq!(search::document("Oil-leak near PRESS_4!"), "oil leak near press 4");
//! ```

use crate::ast::Search;
use crate::error::{Error, excerpt};
use crate::limits::Limits;

/// The tokens of a text: runs of alphanumeric characters (Unicode), in lower case.
pub fn tokens(text: &str) -> impl Iterator<Item = String> + '_ {
    // Split again after lowering: `İ` becomes `i` and a combining dot, which is no alphanumeric character.
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| {
            word.to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric())
                .collect::<String>()
        })
        .filter(|word| !word.is_empty())
}

/// A text as it is stored in a full-text index: its tokens, separated by single spaces.
#[must_use]
pub fn document(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokens(text) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&token);
    }
    out
}

/// Parses `$search`: words and quoted phrases, of which any may match. A word such as `leak-free` has two
/// tokens and is a phrase. Every word is a search key: `AND`, `OR` and `NOT` are words like others.
pub(crate) fn parse(text: &str, limits: &Limits) -> Result<Search, Error> {
    if text.len() > limits.option_bytes {
        return Err(Error::limit(
            None,
            &format!("the value has {} bytes", text.len()),
            limits.option_bytes,
        ));
    }
    let mut phrases = Vec::new();
    let mut words = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (key, end) = if c == '"' {
            quoted(text, at)?
        } else {
            bare(text, at)?
        };
        let phrase: Vec<String> = tokens(&key).collect();
        words += phrase.len();
        if words > limits.search_words {
            return Err(Error::limit(
                at,
                "there are too many words",
                limits.search_words,
            ));
        }
        // Punctuation alone matches nothing, and with words it adds nothing.
        if !phrase.is_empty() {
            phrases.push(phrase);
        }
        at = end;
    }
    if phrases.is_empty() {
        return Err(Error::syntax(
            0,
            "found no word; expected words, or phrases in double quotes",
        ));
    }
    Ok(Search { phrases })
}

fn quoted(text: &str, at: usize) -> Result<(String, usize), Error> {
    let mut key = String::new();
    let mut chars = text[at + 1..].char_indices();
    while let Some((offset, c)) = chars.next() {
        match c {
            '"' => return Ok((key, at + 1 + offset + 1)),
            '\\' => key.extend(chars.next().map(|(_, escaped)| escaped)),
            _ => key.push(c),
        }
    }
    Err(Error::syntax(
        at,
        "the phrase that begins here is not closed; expected \" at its end",
    ))
}

fn bare(text: &str, at: usize) -> Result<(String, usize), Error> {
    let end = text[at..]
        .find(|c: char| c.is_whitespace() || c == '"')
        .map_or(text.len(), |length| at + length);
    let word = &text[at..end];
    let numeric = word.chars().any(char::is_numeric)
        && word
            .chars()
            .all(|c| c.is_numeric() || matches!(c, '.' | ',' | '+' | '-' | '_' | '%'));
    if numeric || is_exponential(word) {
        let message = format!(
            "found the number `{0}`; numeric values are put in double quotes: \"{0}\"",
            excerpt(word)
        );
        return Err(Error::syntax(at, message));
    }
    Ok((word.to_owned(), end))
}

/// `1e5` is a number, `2nd` and `e5` are words.
fn is_exponential(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.')
        && word.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(text: &str) -> Vec<Vec<String>> {
        parse(text, &Limits::default()).unwrap().phrases
    }

    #[test]
    fn a_text_and_a_search_have_the_same_tokens() {
        assert_eq!(
            document("Oil-leak  near PRESS_4, Ølands «İ»"),
            "oil leak near press 4 ølands i"
        );
        assert_eq!(document(&document("İx Ǆ ß")), document("İx Ǆ ß"));
    }

    #[test]
    fn words_and_phrases() {
        assert_eq!(
            phrases("oil \"press 4\" leak-free"),
            [vec!["oil"], vec!["press", "4"], vec!["leak", "free"]]
        );
        assert_eq!(
            phrases("\"say \\\"hi\\\"\" -- NOT"),
            [vec!["say", "hi"], vec!["not"]]
        );
        assert_eq!(phrases("2nd e5 \"42\""), [["2nd"], ["e5"], ["42"]]);
    }

    #[test]
    fn what_is_refused() {
        for text in [
            "42", "oil 4", "-3.5", "1e5", "٣", "\"open", "", "---", "\"\"",
        ] {
            assert_eq!(
                parse(text, &Limits::default()).unwrap_err().code(),
                "odata.syntax",
                "{text}"
            );
        }
        let many = "a ".repeat(21);
        assert_eq!(
            parse(&many, &Limits::default()).unwrap_err().code(),
            "odata.limit"
        );
    }
}
