//! What `$search` takes for the same, compared with the primary level of the root collation of ICU.

use std::collections::BTreeMap;

use obeya_odata::search::document;
use obeya_odata::{Limits, OptionName, Options};
use proptest::prelude::*;

/// Classes of letters, as ICU 78.2 has them (the file says how it was written).
const LETTERS: &str = include_str!("letters.txt");

/// Where a search differs from the collation, and why.
const DIFFERENT: [(&str, &str); 5] = [
    ("ı", "the capital of the Turkish letter is that of i"),
    (
        "Ŀ",
        "the dot is punctuation, and the letters beside it are words",
    ),
    ("ŀ", "as above"),
    ("ٴ", "a hamza that only old spellings of Kazakh have"),
    ("ͺ", "a sign without a letter, which is a space and ι"),
];

#[test]
fn letters_are_the_same_where_collation_says_so() {
    let is_different = |letter: &str| DIFFERENT.iter().any(|(other, _)| *other == letter);
    let mut class_of: BTreeMap<String, &str> = BTreeMap::new();
    let classes = LETTERS.lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for class in classes {
        let letters = class.split(' ').filter(|letter| !is_different(letter));
        for letter in letters {
            count += 1;
            // A letter between others, so that none is alone.
            let folded = document(&format!("x{letter}x"));
            let other = *class_of.entry(folded).or_insert(class);
            assert_eq!(other, class, "{letter}");
        }
        let folded = class_of.values().filter(|other| **other == class).count();
        assert!(folded <= 1, "{class} is {folded} letters");
    }
    assert!(count > 1_700, "{count} letters");
}

/// The language; a text; another; whether the primary level of ICU 78.2 has them as equal.
const WORDS: [(&str, &str, &str, bool); 36] = [
    ("Norwegian", "Støperi", "stoperi", true),
    ("Norwegian", "ÆRLIG", "aerlig", true),
    ("Norwegian", "Ålesund", "alesund", true),
    ("Norwegian", "måle", "mele", false),
    ("German", "Straße", "STRASSE", true),
    ("German", "GROẞ", "gross", true),
    ("German", "Größe", "grosse", true),
    ("German", "Größe", "groesse", false),
    ("French", "ŒUVRE", "oeuvre", true),
    ("French", "éprouvé", "eprouve", true),
    ("French", "cafe\u{301}", "café", true),
    ("Polish", "Łożysko", "lozysko", true),
    ("Polish", "ŻÓŁĆ", "zolc", true),
    ("Czech", "příruba", "priruba", true),
    ("Vietnamese", "Rò rỉ dầu", "ro ri dau", true),
    ("Vietnamese", "Đường ống", "duong ong", true),
    ("Turkish", "İSTASYON", "istasyon", true),
    ("Turkish", "ĞÜŞ", "gus", true),
    ("Russian", "ЁМКОСТЬ", "емкость", true),
    ("Russian", "Клей", "клеи", false),
    ("Greek", "ΛΆΔΙ", "λαδι", true),
    ("Greek", "λάδις", "ΛΑΔΙΣ", true),
    ("Arabic", "زَيْت", "زيت", true),
    ("Arabic", "أمن", "امن", false),
    ("Hebrew", "שֶׁמֶן", "שמן", true),
    ("Hindi", "ख़राब", "खराब", true),
    ("Thai", "รั่ว", "รัว", true),
    ("Thai", "น้ำมัน", "นำมน", false),
    ("Japanese", "ポンプ", "ﾎﾟﾝﾌﾟ", true),
    (
        "Korean",
        "기름",
        "\u{1100}\u{1175}\u{1105}\u{1173}\u{11b7}",
        true,
    ),
    ("Chinese", "漏油", "漏水", false),
    ("any", "ﬁlter", "filter", true),
    ("any", "m²", "m2", true),
    ("any", "ＰＲＥＳＳ", "press", true),
    ("any", "co\u{ad}operate", "cooperate", true),
    ("any", "①", "1", true),
];

#[test]
fn words_are_the_same_where_collation_says_so() {
    for (language, left, right, is_same) in WORDS {
        let found = document(left) == document(right);
        assert_eq!(found, is_same, "{language}: {left} and {right}");
    }
    // Collation is looser here: voicing marks make other letters of kana, as an anusvara does of Hindi.
    for (left, right) in [("ガス", "カス"), ("ポンプ", "ぽんぷ"), ("पंप", "पप")]
    {
        assert_ne!(document(left), document(right), "{left} and {right}");
    }
}

#[test]
fn marks_and_joiners_between_characters_leave_no_trace() {
    for (text, expected) in [
        ("\u{1100}\u{200d}\u{1161}", "\u{ac00}"),
        ("\u{9c7}\u{9bc}\u{9be}", "\u{9cb}"),
        ("\u{fe71}", ""),
        // A letter of its own, also when its mark comes after something that nobody sees.
        ("кле\u{438}\u{ad}\u{306}", "клей"),
    ] {
        assert_eq!(document(text), expected, "{text:?}");
    }
}

proptest! {
    /// A search that is written again, from its folded words, is the same search.
    #[test]
    fn folding_twice_changes_nothing(text in "\\PC{0,24}", open in "\\*?") {
        let text = text.replace(['"', '\\'], " ");
        let parse = |query: &str| Options::parse(query, OptionName::ALL, &Limits::default());
        let query = format!("$search=%22{}%22{open}", encoded(&text));
        // A text without a word is no search.
        if let Ok((options, _)) = parse(&query) {
            let (again, _) = parse(&options.to_query()).unwrap();
            prop_assert_eq!(again.search, options.search);
        }
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
