//! Parts of texts as runs of three characters, for an index that knows every such run of a text.
//!
//! The condition may be weaker than the original one: the rows are filtered again.

use crate::sql::TrigramCondition;

/// The most trigrams for one part: each is another list to read, and some already leave few rows.
const MAX_OF_PART: usize = 10;
/// Runs of a whole expression at most.
const MAX_OF_ALL: usize = 200;
/// Levels of an expression at most: FTS5's parser bounds its own.
const MAX_DEPTH: usize = 8;

/// The trigrams that a text must contain.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Runs {
    /// All of these runs.
    Of(Vec<String>),
    /// All of these; there are at least two.
    All(Vec<Runs>),
    /// At least one of these; there are at least two.
    Any(Vec<Runs>),
}

/// Trigrams that every text with these parts contains; `None` if any text may match.
pub(super) fn runs(parts: &TrigramCondition) -> Option<Runs> {
    let mut count = 0;
    gather(parts, MAX_DEPTH, &mut count).filter(|_| count <= MAX_OF_ALL)
}

fn gather(parts: &TrigramCondition, depth: usize, count: &mut usize) -> Option<Runs> {
    if depth == 0 {
        return None;
    }
    let mut found: Vec<Runs> = match parts {
        TrigramCondition::One(part) => {
            let runs = of_part(part);
            *count += runs.len();
            return (!runs.is_empty()).then_some(Runs::Of(runs));
        }
        TrigramCondition::All(all) => all
            .iter()
            .filter_map(|parts| gather(parts, depth - 1, count))
            .collect(),
        TrigramCondition::Any(any) => any
            .iter()
            .map(|parts| gather(parts, depth - 1, count))
            .collect::<Option<_>>()?,
    };
    match (found.len(), parts) {
        (0, _) => None,
        (1, _) => found.pop(),
        (_, TrigramCondition::Any(_)) => Some(Runs::Any(found)),
        _ => Some(Runs::All(found)),
    }
}

/// The trigrams of a text: every other one and the last, which together cover each of its characters.
fn of_part(text: &str) -> Vec<String> {
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
    let run = |start: usize| chars[start..start + 3].iter().collect();
    starts.into_iter().map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(part: &str) -> TrigramCondition {
        TrigramCondition::One(part.to_owned())
    }

    fn of(runs: &[&str]) -> Runs {
        Runs::Of(runs.iter().map(|run| (*run).to_owned()).collect())
    }

    #[test]
    fn parts_become_runs() {
        for (part, expected) in [
            ("", None),
            ("ab", None),
            ("abc", Some(of(&["abc"]))),
            ("abcd", Some(of(&["abc", "bcd"]))),
            ("abcdef", Some(of(&["abc", "cde", "def"]))),
            ("Øl🦀", Some(of(&["Øl🦀"]))),
        ] {
            assert_eq!(runs(&one(part)), expected, "{part}");
        }
    }

    #[test]
    fn a_long_part_is_asked_for_from_end_to_end_by_few() {
        let long: String = ('a'..='z').chain('A'..='Z').collect();
        let Some(Runs::Of(found)) = runs(&one(&long)) else {
            panic!("no runs");
        };
        assert_eq!(found.len(), MAX_OF_PART);
        assert_eq!((found[0].as_str(), found[9].as_str()), ("abc", "XYZ"));
    }

    #[test]
    fn what_cannot_be_narrowed_is_left_out_of_all_and_spoils_any() {
        let parts = vec![one("abc"), one("ab"), one("def")];
        assert_eq!(
            runs(&TrigramCondition::All(parts.clone())),
            Some(Runs::All(vec![of(&["abc"]), of(&["def"])]))
        );
        assert_eq!(runs(&TrigramCondition::Any(parts)), None);
        let deep = (0..100).fold(one("abc"), |parts, _| {
            TrigramCondition::Any(vec![parts, one("def")])
        });
        assert_eq!(runs(&deep), None);
        let many = TrigramCondition::Any((0..300).map(|n| one(&format!("{n:03}"))).collect());
        assert_eq!(runs(&many), None);
    }
}
