//! Folds a text: what differs only by case, diacritics or compatibility forms becomes equal.
//!
//! The measure is the primary level of the root collation of Unicode (ICU's), which says what people take for
//! the same letter. It must not cut words. Folding a folded text changes nothing.

use std::borrow::Cow;
use std::iter::once;

use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// The combining class of the voicing marks of kana.
const VOICING: u8 = 8;
/// The combining class of viramas, which join consonants.
const VIRAMA: u8 = 9;

/// The folded text.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let decomposed = |c| DecomposingNormalizerBorrowed::new_nfd().normalize_iter(once(c));
    let mut folded = String::with_capacity(text.len());
    let visible = text.chars().filter(|c| !is_invisible(*c));
    let composed = ComposingNormalizerBorrowed::new_nfkc();
    for c in composed.normalize_iter(visible) {
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else if is_invisible(c) {
            // A compatibility form had it.
        } else if is_letter_of_its_own(c) || !decomposed(c).any(is_diacritic) {
            push_without_case(&mut folded, c);
        } else {
            decomposed(c)
                .filter(|part| !is_diacritic(*part))
                .for_each(|part| push_without_case(&mut folded, part));
        }
    }
    // What stood on both sides of a mark may now be one character.
    match ComposingNormalizerBorrowed::new_nfc().normalize(&folded) {
        Cow::Borrowed(_) => folded,
        Cow::Owned(composed) => composed,
    }
}

/// Whether a folded character is part of a word.
pub(super) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(class(c), VOICING | VIRAMA)
}

/// Lower, upper and lower case again: together they make the same texts equal as Unicode's full case folding,
/// which has ß as ss and the final ς as σ, and the Turkish ı equal to i.
fn push_without_case(folded: &mut String, c: char) {
    let cased = c.to_lowercase().flat_map(char::to_uppercase);
    for c in cased.flat_map(char::to_lowercase) {
        match plain(c) {
            Some(plain) => folded.push_str(plain),
            None => folded.push(c),
        }
    }
}

/// The plain form of letters that Unicode does not decompose, although collation compares them as if.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'æ' => "ae",
        'ð' | 'đ' => "d",
        'ħ' => "h",
        'ł' => "l",
        'œ' => "oe",
        'ø' => "o",
        'ґ' => "г",
        // The final forms of Hebrew letters.
        'ך' => "כ",
        'ם' => "מ",
        'ן' => "נ",
        'ף' => "פ",
        'ץ' => "צ",
        _ => return None,
    })
}

/// Letters that Unicode decomposes, although they are other letters to their readers: Cyrillic й, and Arabic
/// letters with madda or hamza.
fn is_letter_of_its_own(c: char) -> bool {
    matches!(c, 'Й' | 'й' | 'آ' | 'أ' | 'ؤ' | 'إ' | 'ئ')
}

/// Marks above, below and through letters, tone marks, points of Hebrew and Arabic. Not the signs that are
/// vowels of their own, of which some scripts have a combining class too, and no marks without a class.
fn is_diacritic(c: char) -> bool {
    !matches!(
        class(c),
        0 | VOICING | VIRAMA | 84 | 91 | 103 | 118 | 129 | 130 | 132
    )
}

fn class(c: char) -> u8 {
    CanonicalCombiningClassMapBorrowed::new().get_u8(c)
}

/// Characters inside words that nobody sees: hyphens of line breaks, joiners, directions, variants; and the
/// Arabic stroke that lengthens words.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{640}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200c}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}
