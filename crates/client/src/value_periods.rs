//! The values of a datasource aggregated by period, in the service.
//!
//! It writes the request as a transformed list of v2; see [`crate::transformed_list`].

#[cfg(feature = "arrow")]
mod columns;

use futures_util::stream;
use obeya_api::Operation;
use obeya_model::{DatasourceValueV2, Timestamp};
use obeya_odata::build::{Aggregate, BinSize, count};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::fields::datasource_value_v2 as fields;
use crate::paged::Paged;
use crate::transformed_list::TransformedList;
use crate::values::Values;

/// The name of the start of a period in the request.
const START: &str = "periodStart";

/// What is computed of the values of a period.
#[derive(Clone, Copy, Debug)]
enum Method {
    Mean,
    Sum,
    Min,
    Max,
}

/// An aggregate of values, before its periods are chosen; created by [`Values::mean`], [`Values::sum`],
/// [`Values::min`] and [`Values::max`].
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is streamed"]
pub struct ValueAggregate {
    values: Values,
    method: Method,
}

/// A request for values aggregated by period; created by [`ValueAggregate::by`].
///
/// The service computes them, so that a chart of ten years transfers its points and not the values.
///
/// ```no_run
/// use obeya::fields::BinSize;
///
/// # async fn example(client: obeya::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let days = client
///     .datasources()
///     .values(5)
///     .mean()
///     .by(BinSize::Day)
///     .in_zone("Europe/Oslo")
///     .since("2025-12-31T23:00:00Z".parse()?)
///     .stream()
///     .all()
///     .await?;
/// for day in days {
///     println!("{}: {:?} of {} values", day.start, day.value, day.count);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is streamed"]
pub struct ValuesByPeriod {
    values: Values,
    method: Method,
    size: BinSize,
    zone: Option<String>,
    since: Option<Timestamp>,
}

/// A period with values, and their aggregate. As JSON it has the names of these fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PeriodValue {
    /// When the period begins.
    #[serde(rename(deserialize = "periodStart"))]
    pub start: Timestamp,
    /// The aggregate; `None` if no value of the period has a number.
    #[serde(rename(deserialize = "aggregate"))]
    pub value: Option<f64>,
    /// The number of values in the period.
    #[serde(rename(deserialize = "valueCount"))]
    pub count: i64,
}

impl Values {
    /// The mean of the values of each period; choose the periods with [`by`](ValueAggregate::by).
    pub fn mean(self) -> ValueAggregate {
        self.aggregated(Method::Mean)
    }

    /// The sum of the values of each period, rounded once.
    pub fn sum(self) -> ValueAggregate {
        self.aggregated(Method::Sum)
    }

    /// The least value of each period.
    pub fn min(self) -> ValueAggregate {
        self.aggregated(Method::Min)
    }

    /// The greatest value of each period.
    pub fn max(self) -> ValueAggregate {
        self.aggregated(Method::Max)
    }

    fn aggregated(self, method: Method) -> ValueAggregate {
        ValueAggregate {
            values: self,
            method,
        }
    }
}

impl ValueAggregate {
    /// One aggregate for each period of this length that has values, in UTC unless
    /// [`in_zone`](ValuesByPeriod::in_zone) is given.
    pub fn by(self, size: BinSize) -> ValuesByPeriod {
        ValuesByPeriod {
            values: self.values,
            method: self.method,
            size,
            zone: None,
            since: None,
        }
    }
}

impl ValuesByPeriod {
    /// Periods by the clock of a time zone of the IANA database, such as `Europe/Oslo`: a day begins at
    /// midnight there, and has 23 or 25 hours if the clock changes. The service refuses an unknown name.
    pub fn in_zone(mut self, zone: impl Into<String>) -> Self {
        self.zone = Some(zone.into());
        self
    }

    /// Only values at or after this instant, such as the start of a period. [`Values::from`] excludes its
    /// instant, and with it a value at the start of a period; a bound within a period cuts the period.
    pub fn since(mut self, instant: Timestamp) -> Self {
        self.since = Some(instant);
        self
    }

    /// All periods that have values, ordered by their start.
    ///
    /// Of the options of the values only `from`, `to` and `filter` are allowed; with another one the stream
    /// ends with [`Error::Request`]. Several pages of periods are not one snapshot.
    pub fn stream(self) -> Paged<PeriodValue> {
        match self.transformed() {
            Ok(list) => list.stream(),
            Err(error) => Paged::flat(stream::iter([Err(error)])),
        }
    }

    /// The number of periods that have values.
    ///
    /// # Errors
    /// As for [`stream`](Self::stream).
    pub async fn count(self) -> Result<i64> {
        let first = self.transformed()?.top(1).count(true);
        let page = first.send::<PeriodValue>().await?;
        Ok(page.count.unwrap_or_default())
    }

    fn transformed(self) -> Result<TransformedList<DatasourceValueV2>> {
        let operation = Operation::ListDatasourceValuesV2.id();
        let Values {
            client,
            id,
            from,
            to,
            filter,
            orderby,
            words,
            page_size,
            top,
            after,
            prefetch: _,
            #[cfg(feature = "arrow")]
                json: _,
        } = self.values;
        words.finish(operation)?;
        let others = [
            ("orderby", orderby.is_some()),
            ("page_size", page_size.is_some()),
            ("top", top.is_some()),
            ("after", after.is_some()),
        ];
        if let Some((name, _)) = others.iter().find(|(_, is_given)| *is_given) {
            let reason = format!(
                "found the option `{name}` of values that are aggregated; expected only `from`, `to` and `filter`"
            );
            return Err(Error::Request { operation, reason });
        }
        let mut list = client.datasources().values_v2(id);
        if let Some(filter) = filter {
            list = list.filter(filter);
        }
        let start = match self.zone {
            Some(zone) => fields::value_date().bin_in(self.size, zone),
            None => fields::value_date().bin(self.size),
        };
        let bounds = [
            self.since.map(|since| fields::value_date().ge(since)),
            from.map(|from| fields::value_date().gt(from)),
            to.map(|to| fields::value_date().lt(to)),
        ];
        let mut rows = list.compute(start.named(START));
        for bound in bounds.into_iter().flatten() {
            rows = rows.filter(bound.to_string());
        }
        Ok(rows.group_by(
            START,
            (self.method.aggregate("aggregate"), count("valueCount")),
        ))
    }
}

impl Method {
    fn aggregate(self, name: &str) -> Aggregate<DatasourceValueV2> {
        let value = fields::value();
        match self {
            Self::Mean => value.average(name),
            Self::Sum => value.sum(name),
            Self::Min => value.min(name),
            Self::Max => value.max(name),
        }
    }
}
