//! Cuts texts into words, and words into the terms of an index. It must not read the syntax of `$search`.

use std::iter;

use super::fold::{fold, is_of_word};
use crate::ast::SearchPhrase;

/// The terms of a phrase: a text has the phrase if it has these terms one after another.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PhraseTerms {
    /// The terms, of which there is at least one.
    pub terms: Vec<String>,
    /// Whether any term that begins with the last one counts.
    pub is_prefix: bool,
}

/// The terms of a text, separated by single spaces, as a full-text index has them. A word is one term. Of a
/// script without spaces between words, each character together with the next one is a term.
///
/// ```
/// use obeya_odata::search;
///
/// assert_eq!(search::document("Öl-Leck near PRESS_4!"), "ol leck near press 4");
/// assert_eq!(search::document("3号机漏油"), "3 号机 机漏 漏油 油");
/// ```
#[must_use]
pub fn document(text: &str) -> String {
    let folded = fold(text);
    let mut out = String::with_capacity(folded.len());
    for term in words(&folded).flat_map(terms) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(term);
    }
    out
}

/// The words of a folded text: runs of letters and digits. Scripts without spaces are words apart.
pub(super) fn words(folded: &str) -> impl Iterator<Item = &str> {
    let mut rest = folded;
    iter::from_fn(move || {
        let word = &rest[rest.find(is_of_word)?..];
        let is_apart = is_unspaced_word(word);
        let end = word.find(|c| !is_of_word(c) || is_unspaced(c) != is_apart);
        let (word, after) = word.split_at(end.unwrap_or(word.len()));
        rest = after;
        Some(word)
    })
}

/// How much a word of a search counts: one of a script without spaces is a whole sentence.
pub(super) fn weight(word: &str) -> usize {
    if is_unspaced_word(word) {
        word.chars().count().div_ceil(10)
    } else {
        1
    }
}

/// Whether a word is of a script without spaces, where every search finds what begins with it.
pub(super) fn is_unspaced_word(word: &str) -> bool {
    word.starts_with(is_unspaced)
}

impl SearchPhrase {
    /// The terms by which an index of [`document`]s finds the phrase.
    ///
    /// ```
    /// use obeya_odata::{Limits, OptionName, Options};
    ///
    /// let (options, _) = Options::parse("$search=漏油 油", OptionName::ALL, &Limits::default())?;
    /// let found: Vec<_> = options.search.unwrap().phrases.iter().map(|phrase| phrase.terms()).collect();
    /// assert_eq!((&found[0].terms[..], found[0].is_prefix), (&["漏油".to_owned()][..], false));
    /// // It may be the first character of a pair.
    /// assert_eq!((&found[1].terms[..], found[1].is_prefix), (&["油".to_owned()][..], true));
    /// # Ok::<(), obeya_odata::Error>(())
    /// ```
    #[must_use]
    pub fn terms(&self) -> PhraseTerms {
        let of_words = self.words.iter().flat_map(|word| terms(word));
        let mut terms: Vec<String> = of_words.map(str::to_owned).collect();
        let mut is_prefix = self.is_prefix;
        if let Some(last) = self.words.last().filter(|word| is_unspaced_word(word)) {
            // The text may go on after the last character.
            is_prefix = last.chars().nth(1).is_none();
            if !is_prefix {
                terms.pop();
            }
        }
        PhraseTerms { terms, is_prefix }
    }
}

/// The last character of a script without spaces is a term too, as each character must begin one.
fn terms(word: &str) -> impl Iterator<Item = &str> {
    let is_cut = is_unspaced_word(word);
    let starts = word
        .char_indices()
        .take(if is_cut { usize::MAX } else { 1 });
    starts.map(move |(start, _)| {
        let rest = &word[start..];
        let end = rest.char_indices().nth(2).filter(|_| is_cut);
        &rest[..end.map_or(rest.len(), |(end, _)| end)]
    })
}

/// Scripts that put no spaces between words, and Korean, whose words have endings.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        // Thai, Lao, Myanmar, Khmer.
        '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{19e0}'..='\u{19ff}'
            | '\u{a9e0}'..='\u{a9ff}'
            | '\u{aa60}'..='\u{aa7f}'
            // Hangul.
            | '\u{1100}'..='\u{11ff}'
            | '\u{a960}'..='\u{a97f}'
            | '\u{ac00}'..='\u{d7ff}'
            // Kana, Bopomofo and Han.
            | '\u{3005}'..='\u{3007}'
            | '\u{3021}'..='\u{3029}'
            | '\u{3031}'..='\u{3035}'
            | '\u{3038}'..='\u{303c}'
            | '\u{3041}'..='\u{318f}'
            | '\u{31a0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{1aff0}'..='\u{1b16f}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_everything_but_letters_and_digits() {
        assert_eq!(
            document("Oil-leak  near PRESS_4, Ølands «İ»"),
            "oil leak near press 4 olands i"
        );
        assert_eq!(document("Press4 m² ½"), "press4 m2 1 2");
        assert_eq!(document(" –, "), "");
    }

    #[test]
    fn a_script_without_spaces_is_cut_into_pairs() {
        // Each row: the text; its terms by hand.
        for (text, expected) in [
            ("漏油", "漏油 油"),
            ("油", "油"),
            ("油oil油4", "油 oil 油 4"),
            ("ポンプが漏れる", "ポン ンプ プが が漏 漏れ れる る"),
            ("ﾎﾟﾝﾌﾟ", "ポン ンプ プ"),
            ("기름이 샌다", "기름 름이 이 샌다 다"),
            // The tone mark is no letter, the vowel above is one.
            ("รั่ว", "รั ัว ว"),
        ] {
            assert_eq!(document(text), expected, "{text}");
        }
    }
}
