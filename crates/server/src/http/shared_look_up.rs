//! One look-up for all requests that arrive at about the same time: anybody may send as many probes of
//! `/readyz` as they like, and the connection for them is one.
//!
//! It knows neither the store nor what is looked up.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

/// How long a result is given to further requests.
const VALID: Duration = Duration::from_secs(1);

/// The last result, with the time at which the look-up ended. The lock is held during a look-up; who is
/// cancelled leaves it to the next.
#[derive(Default)]
pub(crate) struct SharedLookUp(Mutex<Option<(Instant, Result<(), String>)>>);

impl SharedLookUp {
    /// The result of a look-up that ended less than a second before this request arrived, or since; otherwise
    /// of `look_up`.
    pub(crate) async fn shared(
        &self,
        look_up: impl AsyncFnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let arrived = Instant::now();
        let mut last = self.0.lock().await;
        if let Some((ended, result)) = &*last
            && arrived < *ended + VALID
        {
            return result.clone();
        }
        let result = look_up().await;
        *last = Some((Instant::now(), result.clone()));
        result
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn requests_that_wait_for_a_look_up_share_its_result_even_a_failure() {
        let shared = Arc::new(SharedLookUp::default());
        let looked_up = Arc::new(AtomicU32::new(0));
        let (end, ended) = tokio::sync::watch::channel(false);
        let requests = (0..50).map(|_| {
            let (shared, looked_up, mut ended) = (shared.clone(), looked_up.clone(), ended.clone());
            tokio::spawn(async move {
                let look_up = async || {
                    looked_up.fetch_add(1, Ordering::SeqCst);
                    ended.wait_for(|ended| *ended).await.expect("a sender");
                    Err("no connection".to_owned())
                };
                shared.shared(look_up).await
            })
        });
        let requests: Vec<_> = requests.collect();
        // On one thread: all of them have arrived then.
        tokio::task::yield_now().await;
        end.send(true).expect("they wait");
        for request in requests {
            assert_eq!(
                request.await.expect("no panic"),
                Err("no connection".into())
            );
        }
        assert_eq!(looked_up.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_request_that_was_cancelled_leaves_the_look_up_to_the_next() {
        let shared = SharedLookUp::default();
        {
            let mut first = std::pin::pin!(shared.shared(async || std::future::pending().await));
            assert!(futures_util::poll!(&mut first).is_pending());
        }
        assert_eq!(shared.shared(async || Ok(())).await, Ok(()));
    }
}
