//! The memory budget for large bodies, over all requests.
//!
//! A connection may send a body of [`Limits::batch_bytes`], and there are many connections. This module reads
//! no body.

use std::sync::Arc;

use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;
use crate::config::Limits;

/// Memory is counted in units of this many bytes, because a semaphore counts to 2^29 on some machines.
const UNIT_BYTES: usize = 1 << 10;

/// The memory budget for large bodies.
#[derive(Debug)]
pub(crate) struct BatchBudget {
    units: Arc<Semaphore>,
    max_units: u32,
}

impl BatchBudget {
    /// A budget of as many bytes as the limits allow, at least for one body.
    pub(crate) fn new(limits: &Limits) -> Self {
        let max_units = units(limits.batches_bytes.max(limits.batch_bytes));
        Self {
            units: Arc::new(Semaphore::new(max_units as usize)),
            max_units,
        }
    }

    /// Reserves memory for a body: the length that its head declares, or the maximum. Waits until it is free;
    /// the deadline of the request bounds the wait.
    pub(crate) async fn reserve(
        &self,
        headers: &HeaderMap,
        limits: &Limits,
    ) -> Result<OwnedSemaphorePermit, Problem> {
        let declared = headers
            .get(CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        // A body that is too large is refused before it is read.
        let bytes = declared
            .unwrap_or(limits.batch_bytes)
            .min(limits.batch_bytes);
        Arc::clone(&self.units)
            .acquire_many_owned(units(bytes).min(self.max_units))
            .await
            .map_err(Problem::unavailable)
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX >> 4)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[tokio::test]
    async fn a_body_takes_the_room_it_tells_of_and_else_the_most() {
        let limits = Limits {
            batch_bytes: 10 << 10,
            batches_bytes: 30 << 10,
            ..Limits::default()
        };
        let budget = BatchBudget::new(&limits);
        let of = |length: &'static str| {
            HeaderMap::from_iter([(CONTENT_LENGTH, HeaderValue::from_static(length))])
        };
        let free = || budget.units.available_permits();
        let first = budget.reserve(&of("1025"), &limits).await.expect("room");
        assert_eq!(free(), 28);
        let second = budget
            .reserve(&HeaderMap::new(), &limits)
            .await
            .expect("room");
        assert_eq!(free(), 18);
        let third = budget
            .reserve(&of("99999999"), &limits)
            .await
            .expect("room");
        assert_eq!(free(), 8);
        drop((first, second, third));
        assert_eq!(free(), 30);
    }
}
