//! The columns of a list: all columns of its record, or those determined by `$select` and `$expand`.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};

use super::cell::{Column, schema};
use super::{Rows, Tabular};

/// A set of columns of the records `T`.
pub(crate) struct ColumnSet<T: 'static>(pub(super) Vec<&'static Column<T>>);

impl<T> Clone for ColumnSet<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Tabular> ColumnSet<T> {
    /// All columns, no links.
    pub(crate) fn all() -> Self {
        Self(T::columns().iter().collect())
    }

    /// The columns in `$select`, in its order, then the links in `$expand`, in its order, including those
    /// matched by `*`.
    ///
    /// Unknown names are skipped: the service refuses them, or they are newer than this version.
    pub(crate) fn selected(select: Option<&str>, expand: Option<&str>) -> Self {
        let Self(all) = Self::all();
        let selected: Vec<&str> = items(select).map(name).collect();
        let mut columns = if selected.is_empty() || selected.contains(&"*") {
            all
        } else {
            named(&selected, &all)
        };
        columns.extend(links(expand));
        Self(columns)
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        schema(self.0.iter().map(|column| &column.field))
    }

    /// The records as a batch of these columns.
    pub(crate) fn batch(&self, records: &[T]) -> Result<RecordBatch, ArrowError> {
        let mut rows = Rows::new(self.0.iter().map(|column| &column.field));
        for record in records {
            rows.push(self.0.iter().map(|column| (column.get)(record)));
        }
        rows.finish()
    }
}

/// The columns with these names, each once.
fn named<T>(names: &[&str], columns: &[&'static Column<T>]) -> Vec<&'static Column<T>> {
    let mut found: Vec<&Column<T>> = Vec::new();
    for name in names {
        let column = columns.iter().find(|column| column.field.name == *name);
        if let Some(column) = column
            && !found.iter().any(|other| other.field.name == *name)
        {
            found.push(column);
        }
    }
    found
}

/// The links that `$expand` includes.
fn links<T: Tabular>(expand: Option<&str>) -> Vec<&'static Column<T>> {
    let links: Vec<&Column<T>> = T::links().iter().collect();
    // `comments/$count` returns only the number, also next to `*`: an item that names a link takes
    // precedence.
    let (counted, mut expanded): (Vec<&str>, Vec<&str>) =
        items(expand).partition(|item| item.contains('/'));
    let counted: Vec<&str> = counted.into_iter().map(name).collect();
    if expanded.contains(&"*") {
        let others = links.iter().map(|link| link.field.name);
        expanded.extend(others.filter(|other| !counted.contains(other)));
    }
    named(&expanded, &links)
}

/// The name at the beginning of an option's item.
fn name(item: &str) -> &str {
    item.split('/').next().unwrap_or_default().trim()
}

/// The items of an option, without their parenthesized options.
fn items(option: Option<&str>) -> impl Iterator<Item = &str> {
    let text = option.unwrap_or_default();
    let mut items = Vec::new();
    let (mut depth, mut in_text, mut start) = (0_i32, false, 0);
    for (place, letter) in text.char_indices() {
        match letter {
            // A doubled quote ends the text and begins it again.
            '\'' => in_text = !in_text,
            '(' if !in_text => depth += 1,
            ')' if !in_text => depth -= 1,
            ',' if !in_text && depth == 0 => {
                items.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    items.push(&text[start..]);
    let items = items.into_iter().filter_map(|item| item.split('(').next());
    items.map(str::trim).filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(option: Option<&str>) -> Vec<&str> {
        items(option).map(name).collect()
    }

    #[test]
    fn names_are_found_behind_whatever_stands_in_parentheses() {
        assert_eq!(names(None), Vec::<&str>::new());
        assert_eq!(names(Some("")), Vec::<&str>::new());
        assert_eq!(names(Some("name, id")), ["name", "id"]);
        let text = "group($filter=name eq 'it''s (a, b';$expand=parent),type , comments/$count";
        assert_eq!(names(Some(text)), ["group", "type", "comments"]);
        // Invalid options do no harm: the service refuses them.
        for broken in ["a),b,(c,'d", ",(", "'", "é(,"] {
            drop(names(Some(broken)));
        }
    }
}
