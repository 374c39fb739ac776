//! What went over the wire: the SDK's observer, and a table of it at the end.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use obeya::{Exchange, Observer};

use crate::table::{grouped, table, took};

/// Every exchange of the demo, by operation.
#[derive(Default)]
pub(super) struct Wire(Mutex<BTreeMap<&'static str, Calls>>);

#[derive(Default)]
struct Calls {
    method: String,
    took: Vec<Duration>,
    bytes: usize,
}

impl Observer for Wire {
    fn exchange(&self, exchange: &Exchange<'_>) {
        // A panic elsewhere leaves the figures as good as they were.
        let mut operations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = operations.entry(exchange.operation).or_default();
        exchange.method.clone_into(&mut calls.method);
        calls.took.push(exchange.duration);
        calls.bytes += exchange.body.len();
    }
}

impl Wire {
    /// Prints every operation with its calls, the median of their durations, and what came back.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let mut operations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows = table(&["Operation", "", "Calls", "Median", "Bytes"], &[2, 3, 4]);
        for (operation, calls) in operations.iter_mut() {
            calls.took.sort_unstable();
            let median = calls.took[calls.took.len() / 2];
            rows.add_row([
                (*operation).to_owned(),
                calls.method.clone(),
                grouped(calls.took.len()),
                took(median),
                grouped(calls.bytes),
            ]);
        }
        writeln!(out, "{rows}")
    }
}
