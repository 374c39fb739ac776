//! The ingester on the real service.

mod ingest;
mod plant;
mod program;
