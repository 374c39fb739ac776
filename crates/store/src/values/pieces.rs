//! Batches of ids for `IN (…)`, padded to few different numbers of placeholders, so that few statements are
//! prepared.

use crate::engine::Value;

/// Most ids of one statement.
const WIDTHS: [usize; 3] = [1, 32, 1_000];

/// For each statement its placeholders, `?1, ?2, …` from the first one on, and their values: the rest is
/// padded with NULL, which equals no id.
pub(super) fn of<'a>(
    ids: &'a [Value<'a>],
    first: usize,
) -> impl Iterator<Item = (String, Vec<Value<'a>>)> {
    ids.chunks(WIDTHS[2]).map(move |piece| {
        let width = WIDTHS
            .into_iter()
            .find(|width| piece.len() <= *width)
            .unwrap_or(piece.len());
        let places: Vec<String> = (first..first + width).map(|at| format!("?{at}")).collect();
        let mut values = piece.to_vec();
        values.resize(width, Value::Null);
        (places.join(", "), values)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_a_place_in_one_of_few_texts() {
        let ids: Vec<Value<'_>> = (0..2_033_i64).map(Value::Int).collect();
        for count in [0, 1, 2, 32, 33, 1_000, 1_001, 1_032, 2_033] {
            let mut seen = Vec::new();
            for (places, values) in of(&ids[..count], 2) {
                assert!([1, 32, 1_000].contains(&values.len()), "{count}");
                let last = format!("?{}", values.len() + 1);
                assert!(places.starts_with("?2") && places.ends_with(&last));
                assert_eq!(places.split(", ").count(), values.len());
                seen.extend(values.into_iter().filter(|value| *value != Value::Null));
            }
            assert_eq!(seen, ids[..count]);
        }
    }
}
