//! Which columns a list has: all of its record's, or those that its options leave or bring along.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};

use super::cell::{Column, schema};
use super::{Rows, Tabular};

/// Some columns of the records `T`.
pub(crate) struct Shape<T: 'static>(pub(super) Vec<&'static Column<T>>);

impl<T> Clone for Shape<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Tabular> Shape<T> {
    /// All columns, no links.
    pub(crate) fn whole() -> Self {
        Self(T::columns().iter().collect())
    }

    /// The columns that `$select` names, in its order, then the links that `$expand` names, in that one's,
    /// and those that its `*` stands for.
    ///
    /// A name that is no column is left out: the service refuses it, or gives what this version does not
    /// know.
    pub(crate) fn of(select: Option<&str>, expand: Option<&str>) -> Self {
        let Self(all) = Self::whole();
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

/// The columns of these names, each once.
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

/// The links whose records come along.
fn links<T: Tabular>(expand: Option<&str>) -> Vec<&'static Column<T>> {
    let links: Vec<&Column<T>> = T::links().iter().collect();
    // Of `comments/$count` only the number comes, beside `*` too: a link's own name goes before it.
    let (counted, mut expanded): (Vec<&str>, Vec<&str>) =
        items(expand).partition(|item| item.contains('/'));
    let counted: Vec<&str> = counted.into_iter().map(name).collect();
    if expanded.contains(&"*") {
        let others = links.iter().map(|link| link.field.name);
        expanded.extend(others.filter(|other| !counted.contains(other)));
    }
    named(&expanded, &links)
}

/// The name that an item of an option begins with.
fn name(item: &str) -> &str {
    item.split('/').next().unwrap_or_default().trim()
}

/// The items in the text of an option, without what stands in parentheses behind them.
fn items(option: Option<&str>) -> impl Iterator<Item = &str> {
    let text = option.unwrap_or_default();
    let mut items = Vec::new();
    let (mut depth, mut in_text, mut start) = (0_i32, false, 0);
    for (place, letter) in text.char_indices() {
        match letter {
            // A quote within a text is doubled, which ends it and begins it again.
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
        // What is no option at all does no harm: the service refuses it.
        for broken in ["a),b,(c,'d", ",(", "'", "é(,"] {
            drop(names(Some(broken)));
        }
    }
}
