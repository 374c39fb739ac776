//! Parts of texts as runs of three characters, for an index that knows every such run of a text.
//!
//! The condition may be weaker than the original one: the rows are filtered again.

use std::collections::HashMap;

use crate::sql::TrigramCondition;

/// The most trigrams for one part: each is another list to read, and some already leave few rows.
const MAX_OF_PART: usize = 10;
/// Trigrams of a whole expression at most.
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

/// How trigrams are chosen where a part has too many.
struct Choice {
    /// Trigrams for each part at most.
    most: usize,
    /// How often a trigram occurs in all parts.
    occurrences: HashMap<String, usize>,
}

/// Trigrams that every text with these parts contains; `None` if any text may match. Of many parts, it has
/// fewer trigrams each.
pub(super) fn runs(parts: &TrigramCondition) -> Option<Runs> {
    let texts = texts(parts);
    let most = MAX_OF_ALL / texts.len().max(1);
    if most == 0 {
        return None;
    }
    let mut occurrences = HashMap::new();
    for run in texts.iter().flat_map(|text| all_of_part(text)) {
        *occurrences.entry(run).or_default() += 1;
    }
    let most = most.min(MAX_OF_PART);
    gather(parts, MAX_DEPTH, &Choice { most, occurrences })
}

/// The parts of a condition.
fn texts(parts: &TrigramCondition) -> Vec<&str> {
    match parts {
        TrigramCondition::One(part) => vec![part],
        TrigramCondition::All(each) | TrigramCondition::Any(each) => {
            each.iter().flat_map(texts).collect()
        }
    }
}

fn gather(parts: &TrigramCondition, depth: usize, choice: &Choice) -> Option<Runs> {
    if depth == 0 {
        return None;
    }
    let mut found: Vec<Runs> = match parts {
        TrigramCondition::One(part) => {
            let runs = of_part(part, choice);
            return (!runs.is_empty()).then_some(Runs::Of(runs));
        }
        TrigramCondition::All(all) => all
            .iter()
            .filter_map(|parts| gather(parts, depth - 1, choice))
            .collect(),
        TrigramCondition::Any(any) => any
            .iter()
            .map(|parts| gather(parts, depth - 1, choice))
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
fn all_of_part(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let Some(last) = chars.len().checked_sub(3) else {
        return Vec::new();
    };
    let starts = (0..last).step_by(2).chain([last]);
    starts
        .map(|start| chars[start..start + 3].iter().collect())
        .collect()
}

/// Some of the trigrams of a text: first those that occur least often in all parts, as they leave fewer rows;
/// of equal ones, some from the beginning to the end.
fn of_part(text: &str, choice: &Choice) -> Vec<String> {
    let (all, most) = (all_of_part(text), choice.most);
    if all.len() <= most {
        return all;
    }
    let occurrences = |&at: &usize| {
        choice
            .occurrences
            .get(&all[at])
            .copied()
            .unwrap_or_default()
    };
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(occurrences);
    let bound = occurrences(&order[most - 1]);
    let below = order.partition_point(|at| occurrences(at) < bound);
    let equal = &order[below..order.partition_point(|at| occurrences(at) <= bound)];
    let wanted = most - below;
    let spread = (0..wanted).map(|n| equal[n * (equal.len() - 1) / (wanted - 1).max(1)]);
    let mut chosen: Vec<usize> = order[..below].iter().copied().chain(spread).collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|at| all[at].clone()).collect()
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
    }

    #[test]
    fn the_more_parts_the_fewer_trigrams_has_each() {
        let of_many = |count: usize| {
            let parts = (0..count).map(|n| one(&format!("Ticket {n:03}"))).collect();
            match runs(&TrigramCondition::Any(parts)) {
                Some(Runs::Any(found)) => Some((found.len(), found[17].clone())),
                _ => None,
            }
        };
        let expected = |count, found: &[&str]| Some((count, of(found)));
        let all = ["Tic", "cke", "et ", " 01", "017"];
        assert_eq!(of_many(40), expected(40, &all));
        // Without those that more parts share.
        assert_eq!(of_many(50), expected(50, &["Tic", "et ", " 01", "017"]));
        assert_eq!(of_many(60), expected(60, &["Tic", " 01", "017"]));
        assert_eq!(of_many(100), expected(100, &[" 01", "017"]));
        assert_eq!(of_many(200), expected(200, &["017"]));
        assert_eq!(of_many(201), None);
    }
}
