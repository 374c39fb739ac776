//! Suggests the closest known name for a misspelt one.

/// The known name closest to `found`, if it differs only in case or in at most a third of the letters. One or
/// two letters must be equal except for case.
pub(crate) fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Names of entities are short. The cost is quadratic, so long input is skipped.
    const LONGEST: usize = 64;
    if found.len() > LONGEST {
        return None;
    }
    let lower: Vec<char> = found.to_lowercase().chars().collect();
    let most = (lower.len() / 3).min(3);
    known
        .map(|name| {
            (
                distance(&lower, &name.to_lowercase().chars().collect::<Vec<_>>()),
                name,
            )
        })
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The suggestion at the end of a message, or an empty text; `prefix` precedes the name.
pub(crate) fn did_you_mean(near: Option<&str>, prefix: &str) -> String {
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
    use super::nearest;

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
}
