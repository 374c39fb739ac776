//! Suggests the closest known name for a misspelt one.

/// The known name closest to `found`, if it differs only in case or in at most a third of the letters. One or
/// two letters must be equal except for case.
#[must_use]
pub fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Names of entities are short. The cost is quadratic, so long input is skipped.
    const LONGEST: usize = 64;
    if found.len() > LONGEST {
        return None;
    }
    let lower = lower_case(found);
    let most = (lower.len() / 3).min(3);
    known
        .map(|name| (distance(&lower, &lower_case(name)), name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Whether one insertion, deletion, replacement or swap of adjacent letters makes one name of the other. Case
/// is no difference.
#[must_use]
pub fn is_one_edit(a: &str, b: &str) -> bool {
    // A letter has at most four bytes: names of other lengths need no comparison, however long they are.
    if a.len().abs_diff(b.len()) > 4 {
        return false;
    }
    distance(&lower_case(a), &lower_case(b)) == 1
}

fn lower_case(name: &str) -> Vec<char> {
    name.to_lowercase().chars().collect()
}

/// The suggestion at the end of a message, or an empty text; `prefix` precedes the name.
#[must_use]
pub fn did_you_mean(near: Option<&str>, prefix: &str) -> String {
    near.map(|near| format!("; did you mean `{prefix}{near}`?"))
        .unwrap_or_default()
}

/// The edit distance: insertions, deletions, replacements and swaps of adjacent letters.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{is_one_edit, nearest};

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let known = ["name", "boardType", "isPublic"];
        for (found, meant) in [
            ("nmae", Some("name")),
            ("Name", Some("name")),
            ("nam", Some("name")),
            ("boardtype", Some("boardType")),
            ("isPublik", Some("isPublic")),
            ("ID", None),
            ("colour", None),
            ("x", None),
        ] {
            assert_eq!(nearest(found, known.into_iter()), meant, "{found}");
        }
    }

    /// Every text over `letters` with at most `longest` letters.
    fn texts(letters: &str, longest: usize) -> Vec<String> {
        let mut texts = vec![String::new()];
        for _ in 0..longest {
            let longer: Vec<String> = texts
                .iter()
                .flat_map(|text| letters.chars().map(move |letter| format!("{text}{letter}")))
                .collect();
            texts.extend(longer);
        }
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// Every text that is one edit away, by making the edits.
    fn edited(text: &str, letters: &str) -> HashSet<String> {
        let text: Vec<char> = text.chars().collect();
        let mut edited = HashSet::new();
        let mut add = |edit: Vec<char>| edited.insert(String::from_iter(edit));
        for at in 0..=text.len() {
            for letter in letters.chars() {
                let mut inserted = text.clone();
                inserted.insert(at, letter);
                add(inserted);
            }
        }
        for at in 0..text.len() {
            let mut deleted = text.clone();
            deleted.remove(at);
            add(deleted);
            for letter in letters.chars() {
                let mut replaced = text.clone();
                replaced[at] = letter;
                add(replaced);
            }
        }
        for at in 1..text.len() {
            let mut swapped = text.clone();
            swapped.swap(at - 1, at);
            add(swapped);
        }
        edited.remove(&String::from_iter(text));
        edited
    }

    #[test]
    fn one_edit_is_an_insertion_a_deletion_a_replacement_or_a_swap() {
        let letters = "abø";
        let texts = texts(letters, 4);
        for a in &texts {
            let edited = edited(a, letters);
            for b in &texts {
                assert_eq!(is_one_edit(a, b), edited.contains(b), "{a} {b}");
            }
        }
        assert!(is_one_edit("PAGESIZ", "pageSize"));
        assert!(!is_one_edit("PAGESIZE", "pageSize"));
        assert!(!is_one_edit(&"a".repeat(100_000), "pageSize"));
    }
}
