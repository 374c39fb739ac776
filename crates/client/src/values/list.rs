//! Values as a numbered list with consistent pages.

use std::marker::PhantomData;

use futures_core::stream::BoxStream;
use futures_util::{StreamExt, stream};
use obeya_api::call::ListDatasourceValuesV1;

use super::{STREAM_PAGE_SIZE, ValuePage, Values};
use crate::consistent::{
    self, Cursor, DateCursor, Direction, Intake, NumberedList, NumberedPage, SeenIds, Snapshot,
    micros,
};
use crate::error::{Error, Result};
use crate::limit::{Limit, Portion};
use crate::prefetch::{Concurrency, Extent};
use crate::query::{after_id, depends_on_now};

/// A page of values in one of its encodings.
pub(super) trait PageEncoding: NumberedPage {
    /// The pages of a request by number, without consistency checks.
    fn numbered(
        values: Values,
        portion: Portion,
        concurrency: Concurrency,
    ) -> BoxStream<'static, Result<Self>>
    where
        Self: Sized;
}

/// Values that are read page by page.
struct ValueList<P> {
    values: Values,
    form: PhantomData<fn() -> P>,
}

impl Values {
    /// The pages of a stream: every value that exists throughout is yielded once.
    pub(super) fn consistent_pages<P: PageEncoding>(
        mut self,
    ) -> impl futures_core::Stream<Item = Result<P>> + Send + 'static {
        let direction = direction(self.orderby.as_deref());
        let always_changes = depends_on_now(self.filter.as_deref());
        let cursor = match direction {
            Some(direction) => {
                let mut cursor = DateCursor::new(direction, always_changes);
                if let Some(position) = self.after.take() {
                    cursor.resume(&position);
                }
                Cursor::ByDate(cursor)
            }
            None => Cursor::ById(SeenIds::new(always_changes)),
        };
        let prefetch = match &cursor {
            Cursor::ByDate(_) if always_changes => 1,
            _ => self.prefetch,
        };
        let limit = Limit::new(self.top);
        let list = ValueList {
            values: self,
            form: PhantomData,
        };
        consistent::pages(list, cursor, limit, prefetch)
    }

    /// The request for the values after a cursor; `None` if there cannot be any.
    fn remaining(&self, cursor: &DateCursor) -> Option<Self> {
        let bounds = cursor.bounds();
        let mut values = self.clone();
        values.from = values.from.max(bounds.after);
        values.to = values.to.into_iter().chain(bounds.before).min();
        let resumed = bounds.after.is_some() || bounds.before.is_some();
        if resumed && values.to.is_some() && values.from >= values.to {
            return None;
        }
        Some(match bounds.by_id {
            Some(after) => values.by_id(after),
            None => values,
        })
    }

    /// The values in the order of ids, after this one.
    fn by_id(mut self, after: Option<i32>) -> Self {
        self.orderby = Some("id".to_owned());
        self.filter = after_id(self.filter, after);
        self
    }
}

impl<P: PageEncoding> NumberedList for ValueList<P> {
    type Page = P;

    const OPERATION: &'static str = ListDatasourceValuesV1::OPERATION.id();

    const HAS_KEYS: bool = true;

    fn page_size(&self) -> i32 {
        self.values.page_size.unwrap_or(STREAM_PAGE_SIZE)
    }

    fn pass(
        &self,
        cursor: &Cursor,
        portion: Portion,
        concurrency: Concurrency,
    ) -> Option<BoxStream<'static, Result<P>>> {
        let mut values = match cursor {
            Cursor::ByDate(cursor) => self.values.remaining(cursor)?,
            Cursor::ById(_) if self.values.after.is_some() => {
                let refused = Error::Request {
                    operation: <Self as NumberedList>::OPERATION,
                    reason: "only a stream in the order of dates can continue after a position"
                        .to_owned(),
                };
                return Some(stream::iter([Err(refused)]).boxed());
            }
            Cursor::ById(seen) => match seen.rest() {
                Some(rest) => self.values.clone().by_id(rest.after),
                None => self.values.clone(),
            },
        };
        values.page_size = Some(portion.page_size);
        Some(P::numbered(values, portion, concurrency))
    }
}

impl NumberedPage for ValuePage {
    fn extent(&self) -> Extent {
        Self::extent(self)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: self.state.clone(),
            count: Some(self.page.count),
        }
    }

    fn retain_new(&mut self, intake: &mut Intake<'_>) {
        let values = &mut self.page.values;
        values.retain(|value| intake.take(micros(value.value_date), value.id));
        self.position = intake.cursor.position();
    }
}

impl PageEncoding for ValuePage {
    fn numbered(
        values: Values,
        portion: Portion,
        concurrency: Concurrency,
    ) -> BoxStream<'static, Result<Self>> {
        values.numbered_pages(portion, concurrency).boxed()
    }
}

/// The direction of an order by date, in which a stream can continue from a date; `None` for other orders.
fn direction(orderby: Option<&str>) -> Option<Direction> {
    let Some(keys) = orderby else {
        return Some(Direction::Ascending);
    };
    let mut keys = keys.split(',').map(|key| {
        let mut words = key.split_ascii_whitespace();
        (words.next(), words.next(), words.next())
    });
    let direction = match keys.next()? {
        (Some("valueDate"), None | Some("asc"), None) => Direction::Ascending,
        (Some("valueDate"), Some("desc"), None) => Direction::Descending,
        _ => return None,
    };
    let by_id = matches!(
        keys.next(),
        None | Some((Some("id"), None | Some("asc" | "desc"), None))
    );
    (by_id && keys.next().is_none()).then_some(direction)
}

#[cfg(test)]
mod tests {
    use obeya_model::Timestamp;

    use super::*;

    /// The service's `fromDate` excludes its instant, and has ticks of 100 ns.
    #[test]
    fn since_an_instant_is_after_the_tick_before_it() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let builder = crate::Client::builder().base_url("http://127.0.0.1:9");
        let values = Values::new(builder.anonymous().build().unwrap(), 5);
        let since = values.clone().since(at("2026-01-01T00:00:00Z"));
        assert_eq!(since.from, Some(at("2025-12-31T23:59:59.9999999Z")));
        assert_eq!(values.since(Timestamp::MIN).from, None);
    }

    #[test]
    fn orders_of_dates_are_known() {
        use Direction::{Ascending, Descending};
        for (orderby, found) in [
            ("valueDate", Some(Ascending)),
            (" valueDate asc , id", Some(Ascending)),
            ("valueDate desc,id desc", Some(Descending)),
            ("valueDate desc", Some(Descending)),
            ("id", None),
            ("valueDate,value", None),
            ("valueDate,id,value", None),
            ("valueDate mod 2", None),
            ("year(valueDate)", None),
        ] {
            assert_eq!(direction(Some(orderby)), found, "{orderby}");
        }
        assert_eq!(direction(None), Some(Ascending));
    }

    #[test]
    fn bounds_of_the_caller_hold() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let client = crate::Client::builder()
            .base_url("http://127.0.0.1:9")
            .token("t")
            .build()
            .unwrap();
        let (from, to) = (at("2026-01-01T00:00:00Z"), at("2026-01-02T00:00:00Z"));
        let values = Values::new(client, 1).from(from).to(to);
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        let first = values.remaining(&cursor).unwrap();
        assert_eq!((first.from, first.to), (Some(from), Some(to)));
        assert!(cursor.take(micros(at("2026-01-01T12:00:00Z")), 1));
        let rest = values.remaining(&cursor).unwrap();
        let bound = at("2026-01-01T11:59:59.9999999Z");
        assert_eq!((rest.from, rest.to), (Some(bound), Some(to)));
        // Nothing remains of a period that ends there; the service would refuse such bounds.
        let empty = values.clone().to(bound);
        assert!(empty.remaining(&cursor).is_none());
        // Bounds of the caller alone are the service's to refuse.
        let first = DateCursor::new(Direction::Ascending, false);
        let turned = values.clone().from(to).to(from);
        assert!(turned.remaining(&first).is_some());
        // Backwards from within the period, and from after it.
        for (date, end) in [
            ("2026-01-01T12:00:00Z", at("2026-01-01T12:00:00.000001Z")),
            ("2026-01-03T12:00:00Z", to),
        ] {
            let mut cursor = DateCursor::new(Direction::Descending, false);
            assert!(cursor.take(micros(at(date)), 1));
            let rest = values.remaining(&cursor).unwrap();
            assert_eq!((rest.from, rest.to), (Some(from), Some(end)));
        }
    }
}
