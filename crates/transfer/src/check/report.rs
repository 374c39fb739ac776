//! The result of a check, and how findings are collected.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use super::CheckError;
use crate::migrate::MigrateError;
use obeya_store::StoreError;

/// Most findings of one rule about one table that are listed; the rest are counted.
const MOST_LISTED: u64 = 20;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// The file, as the engine finds it, or a table that cannot be read.
    File,
    /// The objects of the schema.
    Schema,
    /// A reference to a record that is not there, or that the record may not refer to.
    Reference,
    /// Records whose parents form a circle.
    Tree,
    /// A stored count differs from what there is.
    Count,
    /// A sequence would issue an id a second time.
    Sequence,
    /// A stamp is later than the last one issued.
    Stamp,
    /// A state that no rule leads to, or a word that the enumeration does not have.
    State,
    /// An entry of a search index does not match its record.
    Search,
    /// The chain of the audit log is broken.
    Audit,
}

impl Rule {
    /// Its name in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rule::File => "file",
            Rule::Schema => "schema",
            Rule::Reference => "reference",
            Rule::Tree => "tree",
            Rule::Count => "count",
            Rule::Sequence => "sequence",
            Rule::Stamp => "stamp",
            Rule::State => "state",
            Rule::Search => "search",
            Rule::Audit => "audit",
        }
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What it is about.
    pub rule: Rule,
    /// The table, if it is about one.
    pub table: Option<&'static str>,
    /// The key of the row, if it is about one.
    pub key: Option<String>,
    /// What was found, and what was expected.
    pub text: String,
}

/// `datasources 4: value_count is 10, and it has 9 values`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.table, &self.key) {
            (Some(table), Some(key)) => write!(f, "{table} {key}: {}", self.text),
            (Some(table), None) => write!(f, "{table}: {}", self.text),
            (None, _) => write!(f, "{}: {}", self.rule.name(), self.text),
        }
    }
}

/// The result of a check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckReport {
    /// The version of the schema.
    pub schema_version: i64,
    /// Rows of all tables; `None` if they cannot be counted.
    pub rows: Option<u64>,
    /// What is wrong. Of many findings about one table the first are listed, and the last says how many more
    /// there are.
    pub findings: Vec<Finding>,
    /// The datasources with a wrong rollup. [`drop_rollups`](super::drop_rollups) mends them.
    pub wrong_rollups: BTreeSet<i32>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Collects findings, a bounded number for each rule and table.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Finding>,
    /// Rule and table of the latest finding, and how many those had.
    latest: Option<(Rule, Option<&'static str>)>,
    count: u64,
}

impl Findings {
    /// Adds a finding. Those of one rule about one table come one after another.
    pub(super) fn add(
        &mut self,
        rule: Rule,
        table: Option<&'static str>,
        key: Option<String>,
        text: String,
    ) {
        if self.latest != Some((rule, table)) {
            self.close();
            self.latest = Some((rule, table));
        }
        self.count += 1;
        if self.count <= MOST_LISTED {
            self.found.push(Finding {
                rule,
                table,
                key,
                text,
            });
        }
    }

    /// Runs a step. That the engine cannot read the data is a finding, and the check goes on; `None` then.
    pub(super) fn guard<T>(
        &mut self,
        rule: Rule,
        what: &str,
        step: impl FnOnce() -> Result<T, CheckError>,
    ) -> Result<Option<T>, CheckError> {
        let text = match step() {
            Ok(done) => return Ok(Some(done)),
            Err(CheckError::Store(StoreError::Engine(cause)))
            | Err(CheckError::Migrate(MigrateError::Store {
                source: StoreError::Engine(cause),
                ..
            })) => cause.to_string(),
            Err(CheckError::Migrate(MigrateError::Stopped)) => return Err(CheckError::Stopped),
            Err(other) => return Err(other),
        };
        self.add(rule, None, None, format!("{what} cannot be read: {text}"));
        Ok(None)
    }

    /// All findings.
    pub(super) fn end(mut self) -> Vec<Finding> {
        self.close();
        self.found
    }

    /// Ends the findings of the latest rule and table.
    fn close(&mut self) {
        let more = self.count.saturating_sub(MOST_LISTED);
        if let Some((rule, table)) = self.latest.filter(|_| more > 0) {
            self.found.push(Finding {
                rule,
                table,
                key: None,
                text: format!("and {more} more like these"),
            });
        }
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_findings_the_first_are_listed_and_the_rest_counted() {
        let mut findings = Findings::default();
        for id in 1..=23 {
            let key = Some(id.to_string());
            findings.add(Rule::Count, Some("datasources"), key, "wrong".to_owned());
        }
        findings.add(Rule::File, None, None, "page 4 is torn".to_owned());
        let found = findings.end();
        let lines: Vec<String> = found[19..].iter().map(Finding::to_string).collect();
        assert_eq!(
            lines,
            [
                "datasources 20: wrong",
                "datasources: and 3 more like these",
                "file: page 4 is torn"
            ]
        );
    }
}
