//! The text of transformations (`$apply`), one after another. The service evaluates them.

use std::marker::PhantomData;

use obeya_odata::build::{Aggregate, Clause, Compute, Select};

/// Transformations of the rows of a list of `T`, each of the rows of the one before: a sequence of
/// [`List::concat`](crate::List::concat).
#[derive(Clone, Debug)]
#[must_use = "transformations do nothing until a list is transformed by them"]
pub struct Transformations<T> {
    texts: Vec<String>,
    of: PhantomData<fn() -> T>,
}

impl<T> Default for Transformations<T> {
    fn default() -> Self {
        Self {
            texts: Vec::new(),
            of: PhantomData,
        }
    }
}

impl<T> Transformations<T> {
    /// No transformation yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// `groupby`: groups the rows by `properties`, names separated by commas, and computes `aggregates` of
    /// each group.
    pub fn group_by(
        self,
        properties: impl Clause<Select<T>>,
        aggregates: impl Clause<Aggregate<T>>,
    ) -> Self {
        let aggregate = part("aggregate", aggregates.text());
        match properties.text().filter(|text| !text.is_empty()) {
            None => self.then(aggregate),
            Some(properties) => {
                let aggregate = aggregate.map(|part| format!(",{part}"));
                let aggregate = aggregate.unwrap_or_default();
                self.then(Some(format!("groupby(({properties}){aggregate})")))
            }
        }
    }

    /// `aggregate`: one row for all rows.
    pub fn aggregate(self, aggregates: impl Clause<Aggregate<T>>) -> Self {
        self.then(part("aggregate", aggregates.text()))
    }

    /// `compute`: names values of each row.
    pub fn compute(self, values: impl Clause<Compute<T>>) -> Self {
        self.then(part("compute", values.text()))
    }

    /// `filter`: only the rows with this condition, the text of an OData expression about their names.
    pub fn filter(self, condition: impl Into<String>) -> Self {
        self.then(part("filter", Some(condition.into())))
    }

    /// `concat`: the rows of each of the sequences, one sequence after another.
    pub fn concat(self, sequences: impl IntoIterator<Item = Self>) -> Self {
        let sequences = sequences.into_iter().map(|sequence| sequence.text());
        let sequences: Vec<String> = sequences.collect();
        self.then(Some(format!("concat({})", sequences.join(","))))
    }

    /// Any transformations, as OData Data Aggregation 4.0 writes them.
    pub fn apply(self, transformations: impl Into<String>) -> Self {
        self.then(Some(transformations.into()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Their text, as in `$apply`.
    pub(super) fn text(&self) -> String {
        self.texts.join("/")
    }

    /// Adds a transformation, if there is one.
    fn then(mut self, transformation: Option<String>) -> Self {
        self.texts.extend(transformation);
        self
    }
}

/// A transformation of this text; none of an empty one.
fn part(name: &str, text: Option<String>) -> Option<String> {
    let text = text.filter(|text| !text.is_empty())?;
    Some(format!("{name}({text})"))
}
