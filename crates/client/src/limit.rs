//! How much of a numbered list is read: the caller's limit, and the pages that it takes.
//!
//! Nothing is requested here.

/// How many more records a list may yield; by default all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limit(Option<usize>);

impl Limit {
    /// At most this many, or all.
    pub(crate) fn new(top: Option<u32>) -> Self {
        Self(top.map(|top| usize::try_from(top).unwrap_or(usize::MAX)))
    }

    /// Whether no further record may be yielded.
    pub(crate) fn is_reached(self) -> bool {
        self.0 == Some(0)
    }

    /// The limit after so many records.
    pub(crate) fn after(self, records: usize) -> Self {
        Self(self.0.map(|left| left.saturating_sub(records)))
    }

    /// Drops the records beyond the limit.
    pub(crate) fn truncate<T>(self, records: &mut Vec<T>) {
        if let Some(left) = self.0 {
            records.truncate(left);
        }
    }

    /// The size of a page that has no more records than needed. It is 1 even if none is needed: a page of no
    /// records cannot be requested.
    pub(crate) fn page_size(self, page_size: i32) -> i32 {
        let left = self.0.and_then(|left| i32::try_from(left).ok());
        left.map_or(page_size, |left| page_size.min(left.max(1)))
    }

    /// What a pass over numbered pages reads. It may show records again, of which so many were yielded;
    /// `None` if it may show any number of them.
    pub(crate) fn portion(self, page_size: i32, repeated: Option<usize>) -> Portion {
        let records = self
            .0
            .zip(repeated)
            .map(|(left, repeated)| left.saturating_add(repeated));
        Portion::new(page_size, records)
    }
}

/// A page that is requested alone: its size, and how many of its records are within the limit.
pub(crate) fn single_page(
    top: Option<u32>,
    number: i32,
    page_size: Option<i32>,
    default: i32,
) -> (Option<i32>, Limit) {
    let limit = Limit::new(top);
    if number > 1 {
        let before = i64::from(number - 1) * i64::from(page_size.unwrap_or(default));
        return (page_size, limit.after(usize::try_from(before).unwrap_or(0)));
    }
    let size = page_size.unwrap_or(default);
    let needed = limit.page_size(size);
    (
        if needed < size {
            Some(needed)
        } else {
            page_size
        },
        limit,
    )
}

/// The part of a list that a pass over its pages reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portion {
    /// The number of records on each page but the last.
    pub(crate) page_size: i32,
    /// How many records are needed, from the first; `None` for all.
    records: Option<usize>,
}

impl Portion {
    /// As few pages as possible, and of those as small ones: all of one size, because page numbers count
    /// pages of one size.
    fn new(page_size: i32, records: Option<usize>) -> Self {
        let size = usize::try_from(page_size).ok().filter(|size| *size > 0);
        let fitted = size.zip(records).map(|(size, records)| {
            let records = records.max(1);
            records.div_ceil(records.div_ceil(size))
        });
        Self {
            // A size that the interface does not allow is left for the service to refuse.
            page_size: fitted.map_or(page_size, |size| i32::try_from(size).unwrap_or(page_size)),
            records,
        }
    }

    /// Everything, in pages of this size.
    #[cfg(test)]
    pub(crate) fn whole(page_size: i32) -> Self {
        Self::new(page_size, None)
    }

    /// Whether it is on one page, which is a snapshot.
    pub(crate) fn is_one_page(self) -> bool {
        let size = usize::try_from(self.page_size).unwrap_or(0);
        self.records.is_some_and(|records| records <= size)
    }

    /// How many of so many records are needed.
    pub(crate) fn needed_of(self, count: i32) -> i32 {
        let records = self.records.and_then(|records| i32::try_from(records).ok());
        records.map_or(count, |records| count.min(records))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_few_of_one_size_and_no_larger_than_needed() {
        for (page_size, records, expected) in [
            (10_000, 1, 1),
            (10_000, 10_000, 10_000),
            (10_000, 10_001, 5_001),
            (10_000, 25_000, 8_334),
            (7, 0, 1),
            (0, 5, 0),
            (-1, 5, -1),
        ] {
            let portion = Portion::new(page_size, Some(records));
            assert_eq!(portion.page_size, expected, "{records} by {page_size}");
        }
        assert_eq!(Portion::whole(7).page_size, 7);
        // What may be shown again has to fit too.
        let portion = Limit::new(Some(6)).portion(10, Some(9));
        assert_eq!((portion.page_size, portion.needed_of(100)), (8, 15));
        assert!(!portion.is_one_page());
        let unknown = Limit::new(Some(6)).portion(10, None);
        assert_eq!((unknown.page_size, unknown.needed_of(100)), (10, 100));
    }

    #[test]
    fn a_single_page_has_what_is_within_the_limit() {
        for (top, number, page_size, expected) in [
            (None, 3, Some(10), (Some(10), Limit(None))),
            (Some(25), 1, Some(10), (Some(10), Limit(Some(25)))),
            (Some(25), 3, Some(10), (Some(10), Limit(Some(5)))),
            (Some(25), 4, Some(10), (Some(10), Limit(Some(0)))),
            (Some(25), 1, None, (Some(25), Limit(Some(25)))),
            (Some(0), 1, None, (Some(1), Limit(Some(0)))),
            (Some(2_000), 1, None, (None, Limit(Some(2_000)))),
            (Some(1_500), 2, None, (None, Limit(Some(500)))),
        ] {
            let found = single_page(top, number, page_size, 1_000);
            assert_eq!(found, expected, "{top:?}, page {number}");
        }
    }
}
