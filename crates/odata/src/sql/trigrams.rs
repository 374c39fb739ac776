//! Parts of texts in the words of FTS5's trigram tokenizer, which knows every run of three characters of a text.
//!
//! What is asked for may be less than what was wanted: the rows are looked at again.

use crate::sql::Parts;

/// Trigrams asked for of one part at most: each is another list to go through, and some already leave few rows.
const MAX_OF_PART: usize = 10;
/// Trigrams of a whole expression at most.
const MAX_OF_ALL: usize = 200;
/// Levels of an expression at most: FTS5's parser bounds its own.
const MAX_DEPTH: usize = 8;

/// An expression that matches every text which holds these parts; `None` when it would have to match any text.
pub(super) fn expression(parts: &Parts) -> Option<String> {
    let mut count = 0;
    write(parts, MAX_DEPTH, &mut count).filter(|_| count <= MAX_OF_ALL)
}

fn write(parts: &Parts, depth: usize, count: &mut usize) -> Option<String> {
    if depth == 0 {
        return None;
    }
    let (texts, word) = match parts {
        Parts::One(part) => (trigrams(part), " AND "),
        Parts::All(all) => {
            let texts = all
                .iter()
                .filter_map(|parts| write(parts, depth - 1, count));
            (texts.collect(), " AND ")
        }
        Parts::Any(any) => {
            let texts = any.iter().map(|parts| write(parts, depth - 1, count));
            (texts.collect::<Option<Vec<_>>>()?, " OR ")
        }
    };
    if matches!(parts, Parts::One(_)) {
        *count += texts.len();
    }
    match texts.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        more => Some(format!("({})", more.join(word))),
    }
}

/// The runs of three characters of a text, in quotes: every other one and the last, which together hold each of its characters.
fn trigrams(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let Some(last) = chars.len().checked_sub(3) else {
        return Vec::new();
    };
    let mut starts: Vec<usize> = (0..last).step_by(2).chain([last]).collect();
    if starts.len() > MAX_OF_PART {
        let every = starts.len() - 1;
        starts = (0..MAX_OF_PART)
            .map(|n| starts[n * every / (MAX_OF_PART - 1)])
            .collect();
    }
    let quoted = |start: usize| {
        let run: String = chars[start..start + 3].iter().collect();
        format!("\"{}\"", run.replace('"', "\"\""))
    };
    starts.into_iter().map(quoted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(part: &str) -> Parts {
        Parts::One(part.to_owned())
    }

    #[test]
    fn parts_become_trigrams_in_quotes() {
        for (part, expected) in [
            ("", None),
            ("ab", None),
            ("abc", Some(r#""abc""#)),
            ("abcd", Some(r#"("abc" AND "bcd")"#)),
            ("abcdef", Some(r#"("abc" AND "cde" AND "def")"#)),
            ("a\"b", Some(r#""a""b""#)),
            ("Øl🦀", Some("\"Øl🦀\"")),
        ] {
            assert_eq!(expression(&one(part)).as_deref(), expected, "{part}");
        }
    }

    #[test]
    fn a_long_part_is_asked_for_from_end_to_end_by_few() {
        let long: String = ('a'..='z').chain('A'..='Z').collect();
        let found = expression(&one(&long)).expect("an expression");
        assert_eq!(found.matches(" AND ").count(), MAX_OF_PART - 1);
        assert!(
            found.starts_with("(\"abc\"") && found.ends_with("\"XYZ\")"),
            "{found}"
        );
    }

    #[test]
    fn what_cannot_be_narrowed_is_left_out_of_all_and_spoils_any() {
        let parts = vec![one("abc"), one("ab"), one("def")];
        assert_eq!(
            expression(&Parts::All(parts.clone())).as_deref(),
            Some(r#"("abc" AND "def")"#)
        );
        assert_eq!(expression(&Parts::Any(parts)), None);
        let deep = (0..100).fold(one("abc"), |parts, _| Parts::Any(vec![parts, one("def")]));
        assert_eq!(expression(&deep), None);
        let many = Parts::Any((0..300).map(|n| one(&format!("{n:03}"))).collect());
        assert_eq!(expression(&many), None);
    }
}
