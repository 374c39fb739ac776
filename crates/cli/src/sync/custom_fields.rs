//! Assigns columns of the incidents table to custom fields; an assignment is permanent.
//!
//! A column is named after the label the field has when it is first seen. From then on it belongs to the
//! field's id: a renamed or removed field keeps its column, and no other field gets it.

use std::collections::{BTreeMap, BTreeSet};

use obeya::model::IncidentCustomField;
use serde::{Deserialize, Serialize};

/// The maximum length of a label in a column name, in bytes; longer labels are truncated.
const MAX_LABEL: usize = 48;

/// The maximum length of an identifier in PostgreSQL, in bytes.
const MAX_NAME: usize = 63;

/// The fields seen so far, in the order of their columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CustomFields(Vec<CustomField>);

/// A custom field and its column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CustomField {
    pub(super) id: i32,
    pub(super) column: String,
    /// The field's label when it was first seen.
    pub(super) label: String,
}

impl CustomFields {
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|field| field.column.as_str())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Assigns columns to fields that have none; returns whether there were any. `taken` are the names of the
    /// table's other columns.
    pub(super) fn register(
        &mut self,
        seen: impl IntoIterator<Item = (i32, String)>,
        taken: &BTreeSet<String>,
    ) -> bool {
        // In the order of ids, so that names do not depend on the incident in which a field is first seen.
        let seen: BTreeMap<i32, String> = seen.into_iter().collect();
        let before = self.len();
        for (id, label) in seen {
            if self.0.iter().all(|field| field.id != id) {
                let column = self.free_column_name(&label, id, taken);
                self.0.push(CustomField { id, column, label });
            }
        }
        self.len() > before
    }

    /// Whether all of these fields have a column.
    pub(super) fn contains_all(&self, fields: &[IncidentCustomField]) -> bool {
        let known = |id| self.0.iter().any(|field| field.id == id);
        fields.iter().all(|field| known(field.id))
    }

    /// An incident's value for each column: the text of the chosen option, or the free text.
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

    fn free_column_name(&self, label: &str, id: i32, taken: &BTreeSet<String>) -> String {
        let name = column_name(label);
        let is_taken =
            |name: &str| taken.contains(name) || self.columns().any(|other| other == name);
        if !name.is_empty() && !is_taken(&name) {
            return name;
        }
        let stem = if name.is_empty() { "field" } else { &name };
        let mut suffix = format!("_{id}");
        loop {
            let name = format!("{}{suffix}", truncate(stem, MAX_NAME - suffix.len()));
            if !is_taken(&name) {
                return name;
            }
            // The label may equal another field's name with its id.
            suffix.push('_');
        }
    }
}

/// The longest prefix of a text that fits into this many bytes.
fn truncate(text: &str, bytes: usize) -> &str {
    let mut ends = (0..=bytes.min(text.len())).rev();
    ends.find_map(|end| text.get(..end)).unwrap_or_default()
}

/// A label as a column name: lower case, with one `_` for each run of other characters than letters and
/// digits.
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

    fn seen(fields: &mut CustomFields, all: &[(i32, &str)]) -> bool {
        let taken = ["status", "title"].map(str::to_owned).into();
        fields.register(
            all.iter().map(|(id, label)| (*id, (*label).to_owned())),
            &taken,
        )
    }

    #[test]
    fn a_column_stays_with_its_field() {
        let mut fields = CustomFields::default();
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
        let mut fields = CustomFields::default();
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
        let mut fields = CustomFields::default();
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
