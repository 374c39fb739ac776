//! How many rounds a stream takes over a list that answers slowly, by a clock that only waiting moves.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use obeya_model::Timestamp;
use tokio::time::{Instant, sleep};

use super::*;
use crate::prefetch;

const DELAY: Duration = Duration::from_millis(100);
const PAGE_SIZE: usize = 10;
const PAGES: usize = 120;

/// A list of ids; each is dated as many microseconds after 1970.
struct Slow {
    ids: Arc<Mutex<Vec<i32>>>,
    /// The request before which the first record is deleted.
    deletes_before: usize,
    asked: Arc<Mutex<usize>>,
}

#[derive(Clone)]
struct Ids {
    ids: Vec<i32>,
    count: usize,
    last_deleted: bool,
}

impl NumberedPage for Ids {
    fn extent(&self) -> Extent {
        Extent {
            len: self.ids.len(),
            page_size: i32::try_from(PAGE_SIZE).unwrap(),
            count: i32::try_from(self.count).unwrap(),
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: Some(self.last_deleted.to_string()),
            count: None,
        }
    }

    fn retain_new(&mut self, intake: &mut Intake<'_>) {
        self.ids.retain(|id| intake.take((*id).into(), *id));
    }
}

impl NumberedList for Slow {
    type Page = Ids;

    const OPERATION: &'static str = "test";

    const HAS_KEYS: bool = true;

    fn page_size(&self) -> i32 {
        i32::try_from(PAGE_SIZE).unwrap()
    }

    fn pass(
        &self,
        cursor: &Cursor,
        portion: Portion,
        concurrency: Concurrency,
    ) -> Option<BoxStream<'static, Result<Ids>>> {
        let Cursor::ByDate(cursor) = cursor else {
            unreachable!("the tests read by date")
        };
        let after = cursor.bounds().after.map_or(i64::MIN, Timestamp::ticks);
        let (ids, asked) = (Arc::clone(&self.ids), Arc::clone(&self.asked));
        let deletes_before = self.deletes_before;
        let fetch = move |number: i32| {
            let mut ids = ids.lock().unwrap();
            let mut asked = asked.lock().unwrap();
            *asked += 1;
            if *asked == deletes_before {
                ids.remove(0);
            }
            let rest: Vec<i32> = ids
                .iter()
                .copied()
                .filter(|id| i64::from(*id) * 10 > after)
                .collect();
            let page = Ids {
                count: rest.len(),
                last_deleted: *asked >= deletes_before,
                ids: rest
                    .chunks(PAGE_SIZE)
                    .nth(usize::try_from(number).unwrap() - 1)
                    .unwrap_or_default()
                    .to_vec(),
            };
            async move {
                sleep(DELAY).await;
                Ok(page)
            }
        };
        Some(prefetch::pages(concurrency, portion, fetch, Ids::extent).boxed())
    }
}

/// The ids that a stream yields, and the rounds of requests that it waits for.
async fn read(prefetch: usize, deletes_before: usize) -> (Vec<i32>, u128) {
    let list = Slow {
        ids: Arc::new(Mutex::new(all())),
        deletes_before,
        asked: Arc::default(),
    };
    let begun = Instant::now();
    let cursor = Cursor::ByDate(DateCursor::new(Direction::Ascending, false));
    let pages = pages(list, cursor, Limit::default(), prefetch);
    let pages: Vec<Ids> = pages.try_collect().await.unwrap();
    let rounds = begun.elapsed().as_millis() / DELAY.as_millis();
    (
        pages.into_iter().flat_map(|page| page.ids).collect(),
        rounds,
    )
}

fn all() -> Vec<i32> {
    (0..i32::try_from(PAGES * PAGE_SIZE).unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn eight_pages_ahead_take_a_sixth_of_the_rounds() {
    let (ids, one_by_one) = read(1, usize::MAX).await;
    assert_eq!((ids, one_by_one), (all(), 120));
    let (ids, ahead) = read(8, usize::MAX).await;
    assert_eq!(ids, all());
    assert!(6 * ahead <= one_by_one, "{ahead} rounds");
}

/// Once in the middle, and once for good at the beginning, where the first pages fetched ahead are in vain.
#[tokio::test(start_paused = true)]
async fn so_they_do_where_the_list_changes_amid_the_stream() {
    for deletes_before in [2, 5, 60, 61, 119] {
        let (ids, ahead) = read(8, deletes_before).await;
        assert_eq!(ids, all(), "deleted before request {deletes_before}");
        assert!(6 * ahead <= 120, "{ahead} rounds, {deletes_before}");
    }
}
