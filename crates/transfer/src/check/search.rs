//! Compares the search indexes with the texts of the records, in bounded memory.
//!
//! The index lists its entries by token, the table by record, so neither order can be merged with the other.
//! Each entry is hashed into a bucket by its record: the sums of a bucket over the index and over the table
//! are equal if the entries are. Where they are not, a second pass tells the records of some buckets apart.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::ControlFlow;

use super::CheckError;
use super::report::{Findings, Rule};
use crate::migrate::{Progress, key};
use obeya_store::engine::{SearchIndexQueries, present};
use obeya_store::search::{PARTS_INDEX, SearchIndex, document_of};
use obeya_store::{Row, Session, StoreError};

const BUCKETS: usize = 1 << 16;
/// Most buckets whose records are distinguished: of 1,000,000 records, each has some 15.
const MOST_BUCKETS: usize = 64;
/// Characters from which on a token is not compared: an index may cut it.
const LONG: usize = 8_192;
/// Rows between two looks at whether to stop.
const ROWS_PER_LOOK: u64 = 4_096;

/// Checks the index over the tokens of a table's texts.
pub(super) fn words(
    session: &mut dyn Session,
    index: &SearchIndex,
    findings: &mut Findings,
    progress: &dyn Progress,
) -> Result<(), CheckError> {
    let tokens = |texts: &[Option<&str>], each: &mut dyn FnMut(i64, &str)| {
        let document = document_of(texts);
        for (place, token) in (0..).zip(document.split_ascii_whitespace()) {
            each(place, token);
        }
    };
    Comparison::new(session, index).run(session, &tokens, findings, progress)
}

/// Checks the index over the parts of comments' texts: every run of three characters.
pub(super) fn parts(
    session: &mut dyn Session,
    findings: &mut Findings,
    progress: &dyn Progress,
) -> Result<(), CheckError> {
    let index = SearchIndex {
        name: PARTS_INDEX,
        table: "incident_comments",
        key: "id",
        columns: &["text"],
    };
    let parts = |texts: &[Option<&str>], each: &mut dyn FnMut(i64, &str)| {
        let text = texts.iter().copied().flatten().next().unwrap_or_default();
        let characters: Vec<char> = text.chars().filter(|c| *c != '\0').map(indexed).collect();
        let runs: HashSet<&[char]> = characters.windows(3).collect();
        runs.into_iter()
            .for_each(|run| each(0, &String::from_iter(run)));
    };
    Comparison::new(session, &index).run(session, &parts, findings, progress)
}

/// The character that SQLite's tokeniser has in place of one: it replaces two noncharacters.
fn indexed(c: char) -> char {
    match c {
        '\u{FFFE}' | '\u{FFFF}' => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// Calls its second argument with place and token of each entry that a record with these texts has.
type Tokens<'t> = dyn Fn(&[Option<&str>], &mut dyn FnMut(i64, &str)) + 't;

/// Where an entry was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Index,
    Table,
}

/// What is known of one record.
#[derive(Debug, Default)]
struct Entries {
    /// The sum of the index less that of the table.
    sum: u64,
    in_index: bool,
    in_table: bool,
}

struct Comparison<'i> {
    index: &'i SearchIndex,
    queries: SearchIndexQueries,
}

impl<'i> Comparison<'i> {
    fn new(session: &mut dyn Session, index: &'i SearchIndex) -> Self {
        Comparison {
            index,
            queries: session.capabilities().search_index(index.name),
        }
    }

    fn run(
        &self,
        session: &mut dyn Session,
        tokens: &Tokens<'_>,
        findings: &mut Findings,
        progress: &dyn Progress,
    ) -> Result<(), CheckError> {
        let read = findings.guard(Rule::Search, self.index.name, || {
            let mut sums = vec![0_u64; BUCKETS];
            self.each(session, tokens, progress, &mut |id, hash, seen| {
                let sum = &mut sums[bucket(id)];
                *sum = added(*sum, hash, seen);
            })?;
            let different = (0..BUCKETS).filter(|bucket| sums[*bucket] != 0);
            let named: HashSet<usize> = different.clone().take(MOST_BUCKETS).collect();
            if named.is_empty() {
                return Ok((BTreeMap::new(), 0));
            }
            let mut records: BTreeMap<i64, Entries> = BTreeMap::new();
            self.each(session, tokens, progress, &mut |id, hash, seen| {
                if named.contains(&bucket(id)) {
                    let entries = records.entry(id).or_default();
                    entries.sum = added(entries.sum, hash, seen);
                    entries.in_index |= seen == Seen::Index;
                    entries.in_table |= seen == Seen::Table;
                }
            })?;
            Ok((records, different.count() - named.len()))
        })?;
        let Some((records, more)) = read else {
            return Ok(());
        };
        let name = self.index.name;
        let mut add = |key: Option<String>, text: String| {
            findings.add(Rule::Search, Some(self.index.table), key, text);
        };
        for (id, entries) in records.iter().filter(|(_, entries)| entries.sum != 0) {
            add(
                Some(key(&[(&self.index.record(session, *id)?).into()])),
                match entries {
                    Entries {
                        in_index: false, ..
                    } => format!("{name} has no entry for it"),
                    Entries {
                        in_table: false, ..
                    } => format!("{name} has an entry for it, and there is no such record"),
                    _ => format!("its entry in {name} is not that of its text"),
                },
            );
        }
        if more > 0 {
            add(
                None,
                format!("{name} differs at {more} or more other records"),
            );
        }
        Ok(())
    }

    /// Calls `each` with every entry of the index and every entry that the records should have.
    fn each(
        &self,
        session: &mut dyn Session,
        tokens: &Tokens<'_>,
        progress: &dyn Progress,
        each: &mut dyn FnMut(i64, u64, Seen),
    ) -> Result<(), CheckError> {
        if let Some(ids) = &self.queries.ids {
            rows(session, ids, progress, |row| {
                let id = present(row.int(0)?)?;
                each(id, hash(id, -1, ""), Seen::Index);
                Ok(())
            })?;
        }
        if let Some(begin) = &self.queries.begin {
            session.execute_deferred(begin, &[])?;
        }
        let read = rows(session, &self.queries.entries, progress, |row| {
            let (id, place) = (present(row.int(0)?)?, present(row.int(1)?)?);
            let token = present(row.text(2)?)?;
            if is_compared(token) {
                let token: String = token.chars().map(indexed).collect();
                each(id, hash(id, place, &token), Seen::Index);
            }
            Ok(())
        });
        if let Some(end) = self.queries.end {
            session.execute_deferred(end, &[])?;
        }
        read?;
        let sql = format!(
            "SELECT {}, {} FROM {}",
            self.index.key,
            self.index.columns.join(", "),
            self.index.table
        );
        rows(session, &sql, progress, |row| {
            // A user without a number is found by a rule of its own.
            let Some(id) = row.int(0)? else {
                return Ok(());
            };
            let texts = (1..=self.index.columns.len()).map(|column| row.text(column));
            let texts: Vec<Option<&str>> = texts.collect::<Result<_, _>>()?;
            if self.queries.ids.is_some() {
                each(id, hash(id, -1, ""), Seen::Table);
            }
            tokens(&texts, &mut |place, token| {
                if is_compared(token) {
                    each(id, hash(id, place, token), Seen::Table);
                }
            });
            Ok(())
        })
    }
}

/// Calls `each` with every row, and stops where the caller wants it.
fn rows(
    session: &mut dyn Session,
    sql: &str,
    progress: &dyn Progress,
    mut each: impl FnMut(&dyn Row) -> Result<(), StoreError>,
) -> Result<(), CheckError> {
    let mut count = 0_u64;
    let mut is_stopped = false;
    session.query(sql, &[], &mut |row| {
        count += 1;
        is_stopped = count.is_multiple_of(ROWS_PER_LOOK) && !progress.should_continue();
        each(row)?;
        Ok(match is_stopped {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    })?;
    match is_stopped {
        true => Err(CheckError::Stopped),
        false => Ok(()),
    }
}

fn is_compared(token: &str) -> bool {
    token.len() < LONG || token.chars().count() < LONG
}

fn bucket(id: i64) -> usize {
    id.unsigned_abs() as usize % BUCKETS
}

fn added(sum: u64, hash: u64, seen: Seen) -> u64 {
    match seen {
        Seen::Index => sum.wrapping_add(hash),
        Seen::Table => sum.wrapping_sub(hash),
    }
}

fn hash(id: i64, place: i64, token: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (id, place, token).hash(&mut hasher);
    hasher.finish()
}
