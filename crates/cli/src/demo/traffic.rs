//! Counts the HTTP exchanges with the SDK's observer, and prints a table of them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use obeya::{Exchange, Observer};

use crate::table::{format_duration, group_digits, table};

/// Every exchange of the demo, by operation.
#[derive(Default)]
pub(super) struct Traffic(Mutex<BTreeMap<&'static str, Calls>>);

#[derive(Default)]
struct Calls {
    method: String,
    took: Vec<Duration>,
    bytes: usize,
}

impl Observer for Traffic {
    fn exchange(&self, exchange: &Exchange<'_>) {
        // A panic elsewhere cannot leave these figures inconsistent.
        let mut operations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = operations.entry(exchange.operation).or_default();
        exchange.method.clone_into(&mut calls.method);
        calls.took.push(exchange.duration);
        calls.bytes += exchange.body.len();
    }
}

impl Traffic {
    /// Prints each operation with the number of its calls, their median duration and the bytes received.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let mut operations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows = table(&["Operation", "", "Calls", "Median", "Bytes"], &[2, 3, 4]);
        for (operation, calls) in operations.iter_mut() {
            calls.took.sort_unstable();
            let median = calls.took[calls.took.len() / 2];
            rows.add_row([
                (*operation).to_owned(),
                calls.method.clone(),
                group_digits(calls.took.len()),
                format_duration(median),
                group_digits(calls.bytes),
            ]);
        }
        writeln!(out, "{rows}")
    }
}
