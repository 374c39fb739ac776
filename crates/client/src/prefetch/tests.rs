//! Pages of services that count all records, a page or wrongly, by a clock that only waiting moves.

use std::sync::{Arc, Mutex};

use futures_util::{StreamExt, TryStreamExt};

use super::*;
use crate::error::Error;

/// A service with `total` values in pages of `size`; its count is the total, or each page's own.
async fn read(total: i32, size: i32, counts_all: bool, prefetch: usize) -> (Vec<i32>, Vec<i32>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    let fetch = move |number: i32| {
        log.lock().unwrap().push(number);
        async move {
            // Later pages answer sooner, to show that the order is kept.
            tokio::time::sleep(std::time::Duration::from_millis(100 - number as u64)).await;
            let from = (number - 1) * size;
            let values: Vec<i32> = (from.min(total)..(from + size).min(total)).collect();
            let count = if counts_all {
                total
            } else {
                values.len() as i32
            };
            Ok((values, size, count))
        }
    };
    let pages = pages(
        Concurrency::constant(prefetch),
        Portion::whole(size),
        fetch,
        |(values, page_size, count): &(Vec<i32>, i32, i32)| Extent {
            len: values.len(),
            page_size: *page_size,
            count: *count,
        },
    );
    let got: Vec<_> = pages.try_collect().await.unwrap();
    let mut asked = asked.lock().unwrap().clone();
    asked.sort_unstable();
    (
        got.into_iter().flat_map(|(values, ..)| values).collect(),
        asked,
    )
}

#[tokio::test(start_paused = true)]
async fn every_value_comes_once_and_in_order() {
    for (total, size, requests) in [
        // A service that names no page size: the empty page is the last.
        (0, 0, 1),
        (0, 10, 1),
        (7, 10, 1),
        (10, 10, 2),
        (20, 10, 2),
        (95, 10, 10),
    ] {
        for prefetch in [1, 4, 16] {
            let (got, asked) = read(total, size, true, prefetch).await;
            assert_eq!(got, (0..total).collect::<Vec<_>>(), "{total} by {size}");
            assert_eq!(
                asked,
                (1..=requests).collect::<Vec<_>>(),
                "{total} by {size}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_count_of_the_page_alone_loses_nothing() {
    for total in [0, 9, 10, 11, 40, 45] {
        let (got, _) = read(total, 10, false, 4).await;
        assert_eq!(got, (0..total).collect::<Vec<_>>(), "{total}");
    }
}

/// Otherwise the reader would not notice that values were deleted and others moved to pages it has read.
#[tokio::test(start_paused = true)]
async fn a_page_that_was_promised_comes_though_it_is_empty_by_now() {
    let fetch = |number: i32| async move { Ok(if number < 3 { 5 } else { 0 }) };
    let pages = pages(
        Concurrency::constant(4),
        Portion::whole(5),
        fetch,
        |len: &usize| Extent {
            len: *len,
            page_size: 5,
            count: if *len > 0 { 25 } else { 10 },
        },
    );
    let got: Vec<usize> = pages.try_collect().await.unwrap();
    assert_eq!(got, [5, 5, 0]);
}

/// Pages of these lengths and counts, with five records on a full one; the lengths that are yielded.
async fn lengths(prefetch: usize, shown: &'static [(usize, i32)]) -> Vec<usize> {
    let fetch = move |number: i32| async move {
        let at = usize::try_from(number).unwrap() - 1;
        Ok(shown.get(at).copied().unwrap_or_default())
    };
    let pages = pages(
        Concurrency::constant(prefetch),
        Portion::whole(5),
        fetch,
        |(len, count)| Extent {
            len: *len,
            page_size: 5,
            count: *count,
        },
    );
    let pages: Vec<_> = pages.try_collect().await.unwrap();
    pages.into_iter().map(|(len, _)| len).collect()
}

/// A later page may know less: that one is still missing, which the reader has to notice.
#[tokio::test(start_paused = true)]
async fn a_promise_is_not_taken_back_by_a_page_that_counts_itself() {
    for prefetch in [1, 4] {
        let found = lengths(prefetch, &[(5, 25), (5, 5), (0, 0)]).await;
        assert_eq!(found, [5, 5, 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_page_that_nobody_promised_is_no_page() {
    for prefetch in [1, 4] {
        assert_eq!(lengths(prefetch, &[(5, 5), (5, 5), (0, 0)]).await, [5, 5]);
        assert_eq!(lengths(prefetch, &[(0, 0)]).await, [0]);
    }
}

/// Two pages, then twice as many with each page.
#[tokio::test(start_paused = true)]
async fn more_pages_are_requested_when_two_were_used() {
    let asked = Arc::new(Mutex::new(0));
    let log = Arc::clone(&asked);
    let fetch = move |number: i32| {
        *log.lock().unwrap() = number;
        async move { Ok(number) }
    };
    let concurrency = Concurrency { first: 2, most: 8 };
    let mut pages = Box::pin(pages(concurrency, Portion::whole(1), fetch, |_| Extent {
        len: 1,
        page_size: 1,
        count: 100,
    }));
    let mut requested = Vec::new();
    for _ in 0..5 {
        pages.next().await.unwrap().unwrap();
        requested.push(*asked.lock().unwrap());
    }
    assert_eq!(requested, [1, 3, 6, 11, 12]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_comes_in_its_place_and_ends_the_stream() {
    let fetch = |number: i32| async move {
        if number == 3 {
            return Err(Error::TooLarge {
                operation: "test",
                limit: 1,
            });
        }
        Ok(number)
    };
    let mut pages = Box::pin(pages(
        Concurrency::constant(4),
        Portion::whole(1),
        fetch,
        |_| Extent {
            len: 1,
            page_size: 1,
            count: 9,
        },
    ));
    assert_eq!(pages.next().await.unwrap().unwrap(), 1);
    assert_eq!(pages.next().await.unwrap().unwrap(), 2);
    assert!(matches!(
        pages.next().await,
        Some(Err(Error::TooLarge { .. }))
    ));
    assert!(pages.next().await.is_none());
}

#[test]
fn requests_become_fewer_where_pages_are_dropped_and_more_where_they_are_used() {
    let full = Concurrency::constant(8);
    let few = full.after(0).after(1);
    assert_eq!(few, Concurrency { first: 2, most: 8 });
    assert_eq!(few.after(1).after(1).first, 1);
    assert_eq!(few.after(2), Concurrency { first: 4, most: 8 });
    assert_eq!(few.after(2).after(3).after(4), full);
    assert_eq!(Concurrency::constant(0), Concurrency::constant(1));
}

#[tokio::test(start_paused = true)]
async fn pages_are_fetched_side_by_side() {
    // The first alone, then the others by fours; the last page may be a part of one.
    for (total, size, rounds) in [(9, 1, 3), (9, 2, 2), (10, 2, 2), (11, 2, 3)] {
        let started = tokio::time::Instant::now();
        let (got, _) = read(total, size, true, 4).await;
        assert_eq!(got, (0..total).collect::<Vec<_>>());
        let rounds_taken = started.elapsed().as_millis().div_ceil(100);
        assert_eq!(rounds_taken, rounds, "{total} by {size}");
    }
}

#[test]
fn no_number_of_requests_is_too_large() {
    let all = Concurrency::constant(usize::MAX).after(2);
    assert_eq!((all.first, all.most), (usize::MAX, usize::MAX));
}
