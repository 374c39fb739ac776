//! What the service tells about itself: figures for Prometheus. Log lines are written where things happen, through `tracing`.

mod metrics;

pub(crate) use metrics::{Metrics, Observed};
