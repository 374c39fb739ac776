//! Rows found through an index: the same rows as without it, and truly through it.

use crate::model::COMMENT;
use crate::store::{Store, encode, on_each_engine};

/// Texts that a careless index would confuse: other cases, other forms of the same letter, characters of up
/// to four bytes, and characters with a meaning in patterns and in the index's query syntax.
const TEXTS: [&str; 17] = [
    "Bearing replaced",
    "bearing Replaced",
    "bearing",
    "be",
    "",
    "100% of \\_ and %_",
    "it's \"quoted\" AND (more) OR NOT* near^",
    "Ørsted, ørsted",
    "caf\u{e9} open",
    "cafe\u{301} open",
    "🦀🦀🦀 crab",
    "👩\u{200d}🔧 mends",
    "İstanbul ß ẞ",
    "a\tb\nc  d",
    "\u{fffe}\u{ffff}\u{fffd} odd",
    "日本語のテキスト",
    "0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ",
];

/// A condition of a text and a part.
type Holds = fn(&str, &str) -> bool;

/// Adds comments with these texts.
pub fn plant(store: &Store) {
    for (id, text) in (100..).zip(TEXTS) {
        store.comment(id, text);
    }
}

/// Every run of characters of every text, up to a length, and some that occur nowhere.
fn parts() -> Vec<String> {
    let mut parts = vec!["absent".to_owned(), "bearinG".to_owned(), "ab%".to_owned()];
    for text in TEXTS {
        let chars: Vec<char> = text.chars().collect();
        for length in [1, 2, 3, 4, 7, 30] {
            parts.extend(
                chars
                    .windows(length)
                    .map(|run| run.iter().collect::<String>()),
            );
        }
    }
    parts.sort();
    parts.dedup();
    parts
}

fn a_part_is_found_wherever_it_stands_and_nowhere_else(store: &Store) {
    plant(store);
    let holds: [(&str, Holds); 4] = [
        ("contains(text,#)", |text, part| text.contains(part)),
        ("startswith(text,#)", |text, part| text.starts_with(part)),
        ("endswith(text,#)", |text, part| text.ends_with(part)),
        ("text eq #", |text, part| text == part),
    ];
    for part in parts() {
        let literal = format!("'{}'", part.replace('\'', "''"));
        for (filter, holds) in holds {
            let filter = filter.replace('#', &literal);
            let expected: Vec<i64> = (100..)
                .zip(TEXTS)
                .filter(|(_, text)| holds(text, &part))
                .map(|(id, _)| id)
                .collect();
            for order in ["id", "id desc", "level,id"] {
                let query = format!(
                    "$filter={}&$orderby={order}",
                    encode(&format!("{filter} and id ge 100"))
                );
                let mut found = store.ids(&COMMENT, &query).unwrap();
                // Without the second condition the index leads.
                let query = format!("$filter={}&$orderby={order}", encode(&filter));
                let mut led = store.ids(&COMMENT, &query).unwrap();
                led.retain(|id| *id >= 100);
                if order.contains("desc") {
                    found.reverse();
                    led.reverse();
                }
                assert_eq!((&found, &led), (&expected, &expected), "{query}");
            }
        }
    }
}

fn conditions_are_joined_and_turned_around_as_without_an_index(store: &Store) {
    plant(store);
    for (filter, expected) in [
        (
            "contains(text,'bearing') or contains(text,'crab')",
            vec![101, 102, 110],
        ),
        (
            "contains(text,'bearing') and contains(text,'Repl')",
            vec![101],
        ),
        ("contains(text,'bearing') and contains(text,'R')", vec![101]),
        ("contains(text,'bearing') or id eq 108", vec![101, 102, 108]),
        (
            "contains(text,'bearing') or text eq 'be'",
            vec![101, 102, 103],
        ),
        (
            "not contains(text,'a') and id ge 100",
            vec![103, 104, 107, 111, 114, 115],
        ),
        (
            "(not contains(text,'bearing')) and startswith(text,'Bear')",
            vec![100],
        ),
        ("contains(tolower(text),'bearing')", vec![100, 101, 102]),
        (
            "contains('bearing and crab',text) and id ge 100",
            vec![102, 103, 104],
        ),
    ] {
        assert_eq!(
            store.filter(&COMMENT, filter).unwrap(),
            expected,
            "{filter}"
        );
    }
}

/// Sixty parts have three trigrams each, of the fifteen that one of thirty characters has alone.
fn one_of_many_parts_is_found(store: &Store) {
    plant(store);
    let parts: Vec<String> = parts()
        .into_iter()
        .filter(|part| part.chars().count() >= 7)
        .collect();
    for parts in parts.chunks(60) {
        let conditions: Vec<String> = parts
            .iter()
            .map(|part| format!("contains(text,'{}')", part.replace('\'', "''")))
            .collect();
        let expected: Vec<i64> = (100..)
            .zip(TEXTS)
            .filter(|(_, text)| parts.iter().any(|part| text.contains(part)))
            .map(|(id, _)| id)
            .collect();
        let filter = conditions.join(" or ");
        let found = store.filter(&COMMENT, &filter).unwrap();
        assert_eq!(found, expected, "{filter}");
    }
}

on_each_engine!(
    one_of_many_parts_is_found,
    a_part_is_found_wherever_it_stands_and_nowhere_else,
    conditions_are_joined_and_turned_around_as_without_an_index,
);
