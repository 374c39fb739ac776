//! What one caller can do to the others: each form loads the service as a careless or hostile caller would,
//! and asks meanwhile as an honest one. Each has a service of its own, with the default limits.

mod idle;
mod lists;
mod log;
mod secrets;
mod slow;

use crate::Bench;
use crate::probe::{Answer, accepted, quantile};
use crate::table::Table;

/// Measures all forms, with as many heavy lists as each of these.
pub fn measure(table: &mut Table, bench: &Bench, lists: &[usize]) {
    for lists in lists {
        lists::measure(table, bench, *lists);
    }
    slow::measure(table, bench);
    idle::measure(table, bench);
    secrets::measure(table, bench);
    log::measure(table, bench);
}

/// The longest of some requests, beside the longest of the same while nothing else ran. All must be accepted.
fn longest(table: &mut Table, name: &str, alone: &[Answer], loaded: &[Answer]) {
    let served = accepted(loaded);
    let longest = quantile(&served, 1.0) * 1e3;
    let beside = quantile(&accepted(alone), 1.0) * 1e3;
    let unit = format!("ms alone; {} of {} accepted", served.len(), loaded.len());
    let goal = Some((served.len() as f64 / loaded.len() as f64, 1.0, true));
    table.row(name, longest, beside, &unit, goal);
}
