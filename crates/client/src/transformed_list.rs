//! Reads the result of `$apply` on a list of v2: groups, aggregates and computed values.
//!
//! Rows deserialize into a type of the caller. This module writes the transformations; the service evaluates
//! them.

#[cfg(feature = "arrow")]
mod columns;
pub(crate) mod transformations;

use futures_util::TryStreamExt as _;
use obeya_odata::build::{Aggregate, Clause, Compute, Select};
use obeya_odata::{Limits, OptionName, Options};
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::list::{List, Resource, linked_pages};
use crate::paged::{Page, Paged};
use crate::query;

pub use self::transformations::Transformations;
#[cfg(feature = "arrow")]
pub use columns::RowColumns;

/// A list that the service transforms (`$apply`); created by [`List::group_by`], [`List::aggregate`],
/// [`List::compute`], [`List::concat`] and [`List::apply`].
///
/// Each transformation takes the rows of the one before: a list can be grouped by a computed value, and the
/// groups can be filtered. Rows deserialize into any type with fields of these names; `serde_json::Value`
/// accepts every row.
///
/// ```no_run
/// use obeya::fields::{count, incident_v2};
/// use obeya::model::IncidentSeverity;
///
/// #[derive(serde::Deserialize)]
/// struct Month {
///     year: i32,
///     month: i32,
///     incidents: i64,
/// }
///
/// # async fn example(client: obeya::Client) -> obeya::Result<()> {
/// let due = incident_v2::due_date;
/// let months: Vec<Month> = client
///     .incidents()
///     .list_v2()
///     .filter(incident_v2::severity().eq(IncidentSeverity::High).and(due().not_null()))
///     .compute((due().year().named("year"), due().month().named("month")))
///     .group_by("year,month", count("incidents"))
///     .stream()
///     .all()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or streamed"]
pub struct TransformedList<T> {
    /// The list, without its filter.
    list: List<T>,
    /// The filter of the list, which is the first transformation.
    filter: Option<String>,
    transformations: Transformations<T>,
    /// The options of the rows.
    options: query::Options,
}

impl<T: Resource> List<T> {
    /// `groupby`: groups the records by `properties`, as for `select`, and computes `aggregates` of each
    /// group. Without aggregates (`""`) a row has only the properties; without properties all records are one
    /// group. Rows are ordered by the properties.
    ///
    /// Of the options of the list only `filter` is allowed; set the others on the result.
    pub fn group_by(
        self,
        properties: impl Clause<Select<T>>,
        aggregates: impl Clause<Aggregate<T>>,
    ) -> TransformedList<T> {
        TransformedList::new(self).group_by(properties, aggregates)
    }

    /// `aggregate`: one row for all records. See [`group_by`](Self::group_by) for the options of the list.
    pub fn aggregate(self, aggregates: impl Clause<Aggregate<T>>) -> TransformedList<T> {
        TransformedList::new(self).aggregate(aggregates)
    }

    /// `compute`: names values of each record, to group by them or to aggregate them. See
    /// [`group_by`](Self::group_by) for the options of the list.
    pub fn compute(self, values: impl Clause<Compute<T>>) -> TransformedList<T> {
        TransformedList::new(self).compute(values)
    }

    /// `concat`: the rows of each of the sequences, one sequence after another, for example groups and then
    /// their total. A row is null in what only the other sequences name. See [`group_by`](Self::group_by) for
    /// the options of the list.
    ///
    /// ```no_run
    /// use obeya::Transformations;
    /// use obeya::fields::{count, incident_v2};
    ///
    /// # async fn example(client: obeya::Client) -> obeya::Result<()> {
    /// let rows = client.incidents().list_v2().concat([
    ///     Transformations::new().group_by(incident_v2::status(), count("incidents")),
    ///     Transformations::new().aggregate(count("total")),
    /// ]);
    /// let rows: Vec<serde_json::Value> = rows.stream().all().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn concat(
        self,
        sequences: impl IntoIterator<Item = Transformations<T>>,
    ) -> TransformedList<T> {
        TransformedList::new(self).concat(sequences)
    }

    /// `$apply`: transformations as OData Data Aggregation 4.0 writes them, such as
    /// `groupby((area/name),aggregate($count as n))`. See [`group_by`](Self::group_by) for the options of the
    /// list.
    pub fn apply(self, transformations: impl Into<String>) -> TransformedList<T> {
        TransformedList::new(self).apply(transformations)
    }
}

impl<T: Resource> TransformedList<T> {
    fn new(mut list: List<T>) -> Self {
        let filter = list.options.filter.take();
        Self {
            list,
            filter,
            transformations: Transformations::new(),
            options: query::Options::default(),
        }
    }

    /// `groupby`: groups the rows by `properties`, names separated by commas, and computes `aggregates` of
    /// each group.
    pub fn group_by(
        self,
        properties: impl Clause<Select<T>>,
        aggregates: impl Clause<Aggregate<T>>,
    ) -> Self {
        self.then(|before| before.group_by(properties, aggregates))
    }

    /// `aggregate`: one row for all rows.
    pub fn aggregate(self, aggregates: impl Clause<Aggregate<T>>) -> Self {
        self.then(|before| before.aggregate(aggregates))
    }

    /// `compute`: names values of each row.
    pub fn compute(self, values: impl Clause<Compute<T>>) -> Self {
        self.then(|before| before.compute(values))
    }

    /// `filter`: only the rows with this condition, the text of an OData expression about their names.
    pub fn filter(self, condition: impl Into<String>) -> Self {
        self.then(|before| before.filter(condition))
    }

    /// `concat`: the rows of each of the sequences, as for [`List::concat`].
    pub fn concat(self, sequences: impl IntoIterator<Item = Transformations<T>>) -> Self {
        self.then(|before| before.concat(sequences))
    }

    /// Any transformations, as for [`List::apply`].
    pub fn apply(self, transformations: impl Into<String>) -> Self {
        self.then(|before| before.apply(transformations))
    }

    /// Adds transformations.
    fn then(mut self, add: impl FnOnce(Transformations<T>) -> Transformations<T>) -> Self {
        self.transformations = add(self.transformations);
        self
    }

    /// `$orderby`: the sort keys, names of the rows, for example `n desc`.
    pub fn orderby(mut self, keys: impl Into<String>) -> Self {
        self.options.orderby = Some(keys.into());
        self
    }

    /// `$top`: at most this many rows.
    pub fn top(mut self, rows: i32) -> Self {
        self.options.top = Some(rows);
        self
    }

    /// `$skip`: skips this many rows at the beginning.
    pub fn skip(mut self, rows: i32) -> Self {
        self.options.skip = Some(rows);
        self
    }

    /// `$count`: whether to return the total number of rows ([`Page::count`]).
    pub fn count(mut self, wanted: bool) -> Self {
        self.options.count = Some(wanted);
        self
    }

    /// Fetches the first page (the only one, if the service does not page the rows).
    ///
    /// # Errors
    /// See [`Error`]; [`Error::Decode`] if a row is not an `R`.
    pub async fn send<R: DeserializeOwned + Send + 'static>(self) -> Result<Page<R>> {
        let operation = self.list.operation().id();
        let url = self.url()?;
        let page: Rows<R> = self.list.client.get_url(operation, url).await?;
        Ok(page.into())
    }

    /// All rows, page by page. Several pages are not one snapshot: a record that changes its group between
    /// them may count in both groups, or in none.
    pub fn stream<R: DeserializeOwned + Send + 'static>(self) -> Paged<R> {
        Paged::flat(self.pages_inner().map_ok(|page| page.items))
    }

    /// All pages.
    pub fn pages<R: DeserializeOwned + Send + 'static>(self) -> Paged<Page<R>> {
        Paged::new(self.pages_inner())
    }

    fn pages_inner<R: DeserializeOwned + Send + 'static>(
        self,
    ) -> impl futures_core::Stream<Item = Result<Page<R>>> + Send + 'static {
        let (client, operation) = (self.list.client.clone(), self.list.operation().id());
        let here = self.list.url();
        linked_pages::<Rows<R>, R>(client, operation, here, self.send())
    }

    /// The address of the first page.
    fn url(&self) -> Result<Url> {
        self.check()?;
        let options = &self.options;
        let numbers = [("$top", options.top), ("$skip", options.skip)];
        let numbers = numbers.map(|(name, value)| (name, value.map(|value| value.to_string())));
        let count = options.count.map(|count| count.to_string());
        let texts = [
            ("$apply", Some(self.text())),
            ("$orderby", options.orderby.clone()),
            ("$count", count),
        ];
        let mut url = self.list.url();
        let given = texts.into_iter().chain(numbers);
        let given = given.filter_map(|(name, value)| Some((name, value?)));
        url.query_pairs_mut().extend_pairs(given);
        Ok(url)
    }

    /// Refuses options of the list other than its filter, unknown words in the filter, and a filter that is
    /// not exactly one condition: inside `filter(…)` it could end the parenthesis and go on.
    fn check(&self) -> Result<()> {
        let operation = self.list.operation().id();
        let refused = |reason| Err(Error::Request { operation, reason });
        let query::Options {
            search,
            filter: _,
            select,
            top,
            skip,
            expand,
            count,
            orderby,
            words,
        } = &self.list.options;
        words.finish(operation)?;
        let others = [
            ("search", search.is_some()),
            ("select", select.is_some()),
            ("expand", expand.is_some()),
            ("orderby", orderby.is_some()),
            ("top", top.is_some()),
            ("skip", skip.is_some()),
            ("count", count.is_some()),
        ];
        if let Some((name, _)) = others.iter().find(|(_, is_given)| *is_given) {
            return refused(format!(
                "found the option `{name}` of a list that is grouped, aggregated or computed; expected only a filter"
            ));
        }
        if self.transformations.is_empty() {
            return refused(
                "found no transformation; expected `groupby`, `aggregate`, `concat` or `compute`"
                    .to_owned(),
            );
        }
        let filter = self.filter.as_deref().unwrap_or("true");
        match Options::of(OptionName::Filter, filter, &Limits::default()) {
            Ok(_) => Ok(()),
            Err(error) => refused(error.to_string()),
        }
    }

    /// The value of `$apply`.
    fn text(&self) -> String {
        match &self.filter {
            Some(filter) if !filter.is_empty() => {
                format!("filter({filter})/{}", self.transformations.text())
            }
            _ => self.transformations.text(),
        }
    }
}

/// A page on the wire.
#[derive(Deserialize)]
struct Rows<R> {
    value: Vec<R>,
    #[serde(rename = "@odata.count")]
    count: Option<i64>,
    #[serde(rename = "@odata.nextLink")]
    next_link: Option<String>,
}

impl<R> From<Rows<R>> for Page<R> {
    fn from(rows: Rows<R>) -> Self {
        Self {
            items: rows.value,
            count: rows.count,
            next_link: rows.next_link,
        }
    }
}
