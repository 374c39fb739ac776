//! Custom fields as columns of the incidents: a field gets its column once and keeps it.
//!
//! A column is named after the label the field has when it is first seen. From then on it belongs to the
//! field's id: a field that is renamed or removed keeps its column, and no other field ever gets it.

use std::collections::{BTreeMap, BTreeSet};

use obeya::model::IncidentCustomField;
use serde::{Deserialize, Serialize};

/// Longer labels are cut.
const MAX_LABEL: usize = 48;

/// The longest name that PostgreSQL tells from others, in bytes.
const MAX_NAME: usize = 63;

/// The fields seen so far, in the order of their columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Fields(Vec<Field>);

/// A field, and where its values go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Field {
    pub(super) id: i32,
    pub(super) column: String,
    /// The label it had then.
    pub(super) label: String,
}

impl Fields {
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|field| field.column.as_str())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes note of fields; tells whether one of them was new. `taken` are the names of the table's other
    /// columns.
    pub(super) fn see(
        &mut self,
        seen: impl IntoIterator<Item = (i32, String)>,
        taken: &BTreeSet<String>,
    ) -> bool {
        // By id, so that the same fields come to the same names, whichever incident they are first seen in.
        let seen: BTreeMap<i32, String> = seen.into_iter().collect();
        let before = self.len();
        for (id, label) in seen {
            if self.0.iter().all(|field| field.id != id) {
                let column = self.free(&label, id, taken);
                self.0.push(Field { id, column, label });
            }
        }
        self.len() > before
    }

    /// Whether all of these are known.
    pub(super) fn know(&self, fields: &[IncidentCustomField]) -> bool {
        let known = |id| self.0.iter().any(|field| field.id == id);
        fields.iter().all(|field| known(field.id))
    }

    /// What an incident has in each column: the words of a choice, or what was written.
    pub(super) fn values<'a>(
        &'a self,
        of: &'a [IncidentCustomField],
    ) -> impl Iterator<Item = Option<&'a str>> {
        self.0.iter().map(|field| {
            let found = of.iter().find(|other| other.id == field.id)?;
            let choice = found.data_list_value.as_deref();
            choice.or(found.value.as_deref())
        })
    }

    fn free(&self, label: &str, id: i32, taken: &BTreeSet<String>) -> String {
        let name = column_name(label);
        let is_taken =
            |name: &str| taken.contains(name) || self.columns().any(|other| other == name);
        if !name.is_empty() && !is_taken(&name) {
            return name;
        }
        let stem = if name.is_empty() { "field" } else { &name };
        let mut suffix = format!("_{id}");
        loop {
            let name = format!("{}{suffix}", cut(stem, MAX_NAME - suffix.len()));
            if !is_taken(&name) {
                return name;
            }
            // A label may look like another field's name with its number.
            suffix.push('_');
        }
    }
}

/// The beginning of a text, of as many letters as so many bytes hold.
fn cut(text: &str, bytes: usize) -> &str {
    let mut ends = (0..=bytes.min(text.len())).rev();
    ends.find_map(|end| text.get(..end)).unwrap_or_default()
}

/// A label as the name of a column: lower case, and what is neither letter nor digit as one `_`.
fn column_name(label: &str) -> String {
    let mut name = String::new();
    for letter in label.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            name.push(letter);
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        if name.len() >= MAX_LABEL {
            break;
        }
    }
    let name = name.trim_end_matches('_');
    match name.chars().next() {
        // A column that begins with a digit must be quoted everywhere.
        Some(first) if first.is_numeric() => format!("field_{name}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(fields: &mut Fields, all: &[(i32, &str)]) -> bool {
        let taken = ["status", "title"].map(str::to_owned).into();
        fields.see(
            all.iter().map(|(id, label)| (*id, (*label).to_owned())),
            &taken,
        )
    }

    #[test]
    fn a_column_stays_with_its_field() {
        let mut fields = Fields::default();
        assert!(seen(
            &mut fields,
            &[(61, "Order number"), (62, "Machine no.")]
        ));
        assert_eq!(
            fields.columns().collect::<Vec<_>>(),
            ["order_number", "machine_no"]
        );
        // Renamed, and another gets the old label.
        assert!(seen(
            &mut fields,
            &[(61, "Purchase order"), (70, "Order number")]
        ));
        assert_eq!(
            fields.columns().collect::<Vec<_>>(),
            ["order_number", "machine_no", "order_number_70"]
        );
        assert!(!seen(&mut fields, &[(62, "Machine")]));
        assert_eq!(fields.len(), 3);
    }

    #[test]
    fn equal_labels_and_columns_of_the_table_get_the_fields_id() {
        let mut fields = Fields::default();
        seen(
            &mut fields,
            &[
                (1, "Status"),
                (2, "Height"),
                (3, "height"),
                (4, "Height 3"),
                (5, "¡!"),
                (6, "3D"),
            ],
        );
        assert_eq!(
            fields.columns().collect::<Vec<_>>(),
            [
                "status_1",
                "height",
                "height_3",
                "height_3_4",
                "field_5",
                "field_3d"
            ]
        );
    }

    #[test]
    fn a_name_is_one_that_postgres_tells_from_others() {
        let mut fields = Fields::default();
        // 55 bytes with `field_`: the end of what is left beside the number falls into the last letter, of
        // four bytes.
        let stem = format!("3{}", "x".repeat(44));
        let label = format!("{stem}\u{10428}");
        let all = [
            (i32::MAX, &*label),
            (i32::MAX - 1, &label),
            (i32::MIN, &label),
        ];
        seen(&mut fields, &all);
        assert_eq!(
            fields.columns().collect::<Vec<_>>(),
            [
                format!("field_{label}"),
                format!("field_{stem}_2147483646"),
                format!("field_{stem}_2147483647")
            ]
        );
        assert!(fields.columns().all(|name| name.len() <= 63));
    }

    #[test]
    fn names_are_plain_words_of_any_alphabet() {
        for (label, name) in [
            ("  Årsak (kort) ", "årsak_kort"),
            ("a--b__c", "a_b_c"),
            ("\"; DROP TABLE x", "drop_table_x"),
            (&"x".repeat(100), &"x".repeat(48)),
        ] {
            assert_eq!(column_name(label), name, "{label}");
        }
    }
}
