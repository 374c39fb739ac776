//! `$search`: how it is read, and the terms of an index by which it is found: one rule for both.
//!
//! Databases fold and cut text differently, so they never do it here: the terms of a text are stored with it,
//! those of a search are matched against them, and the index's own tokeniser only has to split at spaces.

mod fold;
mod terms;

pub use terms::{PhraseTerms, document};

use crate::ast::{Search, SearchPhrase};
use crate::error::{Error, excerpt};
use crate::limits::Limits;

/// Parses `$search`: words and quoted phrases, of which any may match. A word such as `leak-free` is a phrase
/// of two words. A `*` at the end of a word, or directly after a phrase, makes its last word the beginning of
/// words. Every word is a search key: `AND`, `OR` and `NOT` are words like others.
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
        let (key, mut end) = if c == '"' {
            quoted(text, at)?
        } else {
            bare(text, at)?
        };
        let is_open = if c == '"' {
            let is_open = text[end..].starts_with('*');
            end += usize::from(is_open);
            is_open
        } else {
            key.ends_with('*')
        };
        let folded = fold::fold(&key);
        let of_phrase: Vec<String> = terms::words(&folded).map(str::to_owned).collect();
        words += of_phrase
            .iter()
            .map(|word| terms::weight(word))
            .sum::<usize>();
        if words > limits.search_words {
            return Err(Error::limit(
                at,
                "there are too many words",
                limits.search_words,
            ));
        }
        // Punctuation alone matches nothing, and with words it adds nothing.
        if let Some(last) = of_phrase.last() {
            phrases.push(SearchPhrase {
                is_prefix: is_open && !terms::is_unspaced_word(last),
                words: of_phrase,
            });
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

    /// The words of each phrase, and a `*` at the end of one that is open.
    fn phrases(text: &str) -> Vec<String> {
        let search = parse(text, &Limits::default()).unwrap();
        let written = search.phrases.iter().map(|phrase| {
            let end = if phrase.is_prefix { "*" } else { "" };
            phrase.words.join(" ") + end
        });
        written.collect()
    }

    #[test]
    fn words_and_phrases() {
        assert_eq!(
            phrases("oil \"press 4\" leak-free"),
            ["oil", "press 4", "leak free"]
        );
        assert_eq!(phrases("\"say \\\"hi\\\"\" -- NOT"), ["say hi", "not"]);
        assert_eq!(phrases("2nd e5 \"42\""), ["2nd", "e5", "42"]);
    }

    #[test]
    fn a_star_at_the_end_opens_a_word() {
        assert_eq!(
            phrases("Lea* leak-fre** \"Press 4\"* 42*"),
            ["lea*", "leak fre*", "press 4*", "42*"]
        );
        // Elsewhere it is punctuation, and alone it says nothing.
        assert_eq!(
            phrases("*leak l*k \"lea*\" oil * \"press\" *"),
            ["leak", "l k", "lea", "oil", "press"]
        );
        // Of a script without spaces every word is open.
        assert_eq!(phrases("漏油*"), ["漏油"]);
    }

    #[test]
    fn a_sentence_without_spaces_counts_as_one_word_for_each_ten_characters() {
        let limits = Limits::default();
        assert!(parse(&"油".repeat(200), &limits).is_ok());
        let refused = parse(&"油".repeat(201), &limits).unwrap_err();
        assert_eq!(refused.code(), "odata.limit");
    }

    #[test]
    fn what_is_refused() {
        for text in [
            "42", "oil 4", "-3.5", "1e5", "٣", "\"open", "", "---", "\"\"", "*",
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
