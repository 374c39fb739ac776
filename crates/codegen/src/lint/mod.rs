//! Finds what the generator would panic on, turn into Rust that does not compile, or silently get wrong, and
//! reports it as sentences.
//!
//! Each check exists because of one observed fact about the generator or the interface; the check's comment
//! states it. Style of the document (missing descriptions, spelling) is a linter's business, not ours.

mod document;
mod generations;
mod operations;
mod responses;
mod schemas;

use std::collections::BTreeMap;

use crate::{Fault, Spec};

/// Everything to mend, in the order of the file.
#[must_use]
pub fn lint(spec: &Spec) -> Vec<Fault> {
    let mut report = Report {
        spec,
        faults: Vec::new(),
    };
    document::check(&mut report);
    operations::check(&mut report);
    generations::check(&mut report);
    schemas::check(&mut report);
    report.faults.sort();
    report.faults.dedup();
    report.faults
}

/// The faults found so far.
struct Report<'a> {
    spec: &'a Spec,
    faults: Vec<Fault>,
}

impl Report<'_> {
    fn add(&mut self, pointer: &str, location: &str, message: impl Into<String>) {
        let fault = self.spec.fault(pointer, location, message.into());
        self.faults.push(fault);
    }

    /// Reports every name that becomes the same Rust name as an earlier one.
    /// `names` are (name on the wire, name in Rust, pointer).
    fn collisions(
        &mut self,
        location: &str,
        what: &str,
        names: impl IntoIterator<Item = (String, String, String)>,
    ) {
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for (wire, rust, pointer) in names {
            match seen.get(&rust) {
                Some(first) => {
                    let message = format!(
                        "{what} `{wire}` and `{first}` both become `{rust}` in Rust; rename one"
                    );
                    self.add(&pointer, location, message);
                }
                None => {
                    seen.insert(rust, wire);
                }
            }
        }
    }
}

/// `` `a`, `b` ``, or `nothing`.
fn quoted_list(list: &[&str]) -> String {
    if list.is_empty() {
        return "nothing".to_owned();
    }
    list.iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
