//! Functions of texts.

use super::server::Server;
use super::{Random, Rows, Ty, in_rust, int, text};

/// Characters of one to four bytes, with and without cases, with cases of several characters, and white space
/// of all kinds.
pub const CHARACTERS: &[char] = &[
    'a', 'B', 'z', '0', ' ', '\t', '\n', '.', '%', '_', '\\', '\'', 'é', 'Ø', 'ß', 'ÿ', 'µ', 'İ',
    'ı', 'ŉ', 'ſ', 'ǅ', 'Σ', 'σ', 'ς', 'ΐ', 'Ж', 'ж', 'Ա', 'և', 'ა', 'Ა', 'Ꭰ', 'ꭰ', 'ẞ', 'ﬁ', 'ᾳ',
    'ᾼ', 'K', 'Å', '\u{345}', '\u{301}', '–', '€', '中', '𐐀', '𐐨', '😀', '\u{a0}', '\u{85}',
    '\u{1680}', '\u{2003}', '\u{2028}', '\u{3000}', '\u{feff}', '\u{200b}', '\u{180e}',
];

pub fn texts(random: &mut Random, count: usize) -> Vec<String> {
    let mut all = vec![String::new(), "a".to_owned(), "Straße".to_owned()];
    all.extend((0..count).map(|_| random.text(CHARACTERS, 12)));
    all
}

fn rows(texts: impl IntoIterator<Item = String>) -> Rows {
    texts.into_iter().map(|one| vec![text(one)]).collect()
}

#[test]
fn cases_are_mapped_alike() {
    let mut server = Server::new();
    let mut random = Random(7);
    // U+0000 is in no text of the server.
    let all: Vec<char> = ('\u{1}'..=char::MAX).collect();
    let mut values: Vec<String> = all.chunks(200).map(|run| run.iter().collect()).collect();
    let mapped = |c: &&char| !c.to_lowercase().eq([**c]) || !c.to_uppercase().eq([**c]);
    let single = all.iter().filter(mapped);
    values.extend(single.map(char::to_string));
    values.extend(texts(&mut random, 3_000));
    for name in ["odata_lower", "odata_upper"] {
        let rows = rows(values.iter().cloned());
        server.compare(&format!("{name}(a)"), &[Ty::Text], Ty::Text, rows, |args| {
            in_rust(name, args)
        });
    }
}

#[test]
fn white_space_is_trimmed_alike() {
    let mut server = Server::new();
    let mut random = Random(8);
    let mut values: Vec<String> = ('\u{1}'..='\u{FFFF}')
        .map(|c| format!("{c}a b{c}"))
        .collect();
    values.extend(texts(&mut random, 3_000));
    server.compare(
        "odata_trim(a)",
        &[Ty::Text],
        Ty::Text,
        rows(values),
        |args| in_rust("odata_trim", args),
    );
}

#[test]
fn parts_of_texts_are_alike() {
    let mut server = Server::new();
    let mut random = Random(9);
    let starts = [
        0,
        1,
        2,
        3,
        11,
        12,
        13,
        -1,
        -2,
        -11,
        -12,
        -13,
        i64::MIN,
        i64::MAX,
        1 << 30,
        -(1 << 30),
        (1 << 31) - 1,
        1 << 31,
        -(1 << 31),
        -(1 << 31) - 1,
    ];
    let values = texts(&mut random, 60);
    let (mut two, mut three) = (Rows::new(), Rows::new());
    for value in &values {
        for start in starts {
            two.push(vec![text(value), int(start)]);
            let lengths = starts.iter().filter(|length| **length >= 0);
            three.extend(lengths.map(|length| vec![text(value), int(start), int(*length)]));
        }
    }
    // Each of these is a separate statement.
    three.extend([-1, i64::MIN].map(|length| vec![text("abc"), int(1), int(length)]));
    let types = [Ty::Text, Ty::Int, Ty::Int];
    server.compare(
        "odata_substring(a, b)",
        &types[..2],
        Ty::Text,
        two,
        |args| in_rust("odata_substring", args),
    );
    server.compare(
        "odata_substring(a, b, c)",
        &types,
        Ty::Text,
        three,
        |args| in_rust("odata_substring", args),
    );
}

#[test]
fn beginnings_and_ends_are_found_alike() {
    let mut server = Server::new();
    let mut random = Random(10);
    let mut rows = Rows::new();
    for value in texts(&mut random, 1_000) {
        let characters = value.chars().count();
        let cut = random.below(characters + 1);
        let front: String = value.chars().take(cut).collect();
        let back: String = value.chars().skip(cut).collect();
        for part in [
            front,
            back,
            value.clone(),
            format!("{value}a"),
            "a".into(),
            String::new(),
        ] {
            rows.push(vec![text(value.clone()), text(part)]);
        }
    }
    for name in ["odata_starts_with", "odata_ends_with"] {
        let types = &[Ty::Text, Ty::Text];
        server.compare(
            &format!("{name}(a, b)"),
            types,
            Ty::Int,
            rows.clone(),
            |args| in_rust(name, args),
        );
    }
}
