//! Values as a numbered list with consistent pages.

use std::marker::PhantomData;

use futures_core::stream::BoxStream;
use futures_util::StreamExt;
use obeya_api::call::ListDatasourceValues;
use obeya_model::Timestamp;

use super::{ValuePage, Values};
use crate::consistent::{
    self, Cursor, DateCursor, Direction, NumberedList, NumberedPage, SeenIds, Snapshot,
};
use crate::error::Result;
use crate::prefetch::Extent;

/// A page of values in one of its encodings.
pub(super) trait PageEncoding: NumberedPage {
    /// The pages of a request by number, without consistency checks.
    fn numbered(values: Values) -> BoxStream<'static, Result<Self>>
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
        self,
    ) -> impl futures_core::Stream<Item = Result<P>> + Send + 'static {
        let direction = direction(self.orderby.as_deref());
        let always_changes = depends_on_now(self.filter.as_deref());
        let cursor = match direction {
            Some(direction) => Cursor::ByDate(DateCursor::new(direction, always_changes)),
            None => Cursor::ById(SeenIds::default()),
        };
        let prefetch = match &cursor {
            Cursor::ByDate(_) if always_changes => 1,
            _ => self.prefetch,
        };
        let list = ValueList {
            values: self,
            form: PhantomData,
        };
        consistent::pages(list, cursor, prefetch)
    }

    /// The request for the values after a cursor; `None` if there cannot be any.
    fn after(&self, cursor: &DateCursor) -> Option<Self> {
        let bounds = cursor.bounds();
        let mut values = self.clone();
        values.from = values.from.max(bounds.after);
        values.to = values.to.into_iter().chain(bounds.before).min();
        let resumed = bounds.after.is_some() || bounds.before.is_some();
        if resumed && values.to.is_some() && values.from >= values.to {
            return None;
        }
        if let Some(after) = bounds.by_id {
            values.orderby = Some("id".to_owned());
            if let Some(id) = after {
                values.filter = Some(match values.filter {
                    Some(filter) => format!("({filter}) and id gt {id}"),
                    None => format!("id gt {id}"),
                });
            }
        }
        Some(values)
    }
}

impl<P: PageEncoding> NumberedList for ValueList<P> {
    type Page = P;

    const OPERATION: &'static str = ListDatasourceValues::OPERATION.id();

    fn pass(&self, cursor: &Cursor, prefetch: usize) -> Option<BoxStream<'static, Result<P>>> {
        let values = match cursor {
            Cursor::ByDate(cursor) => self.values.after(cursor)?,
            Cursor::ById(_) => self.values.clone(),
        };
        Some(P::numbered(values.prefetch(prefetch)))
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

    fn retain(&mut self, keep: &mut dyn FnMut(i64, i32) -> bool) {
        self.page
            .values
            .retain(|value| keep(micros(value.value_date), value.id));
    }
}

impl PageEncoding for ValuePage {
    fn numbered(values: Values) -> BoxStream<'static, Result<Self>> {
        values.numbered_pages().boxed()
    }
}

/// An instant in whole microseconds, as in Arrow columns.
fn micros(instant: Timestamp) -> i64 {
    instant.ticks().div_euclid(10)
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

/// Whether a condition calls `now()`, so that its result changes without a change of the datasource. May be
/// true for a text literal that looks like the call.
fn depends_on_now(filter: Option<&str>) -> bool {
    let filter = filter.unwrap_or_default().to_ascii_lowercase();
    let mut parts = filter.split("now").skip(1);
    parts.any(|after| after.trim_start().starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn conditions_that_ask_for_the_time_are_known() {
        assert!(depends_on_now(Some("valueDate lt Now ( )")));
        assert!(!depends_on_now(Some("dimension eq 'know-how (now)'")));
        assert!(!depends_on_now(None));
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
        let first = values.after(&cursor).unwrap();
        assert_eq!((first.from, first.to), (Some(from), Some(to)));
        assert!(cursor.take(micros(at("2026-01-01T12:00:00Z")), 1));
        let rest = values.after(&cursor).unwrap();
        let bound = at("2026-01-01T11:59:59.9999999Z");
        assert_eq!((rest.from, rest.to), (Some(bound), Some(to)));
        // Nothing remains of a period that ends there; the service would refuse such bounds.
        let empty = values.to(bound);
        assert!(empty.after(&cursor).is_none());
    }
}
