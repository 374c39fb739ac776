//! The steps of a run and their order.
//!
//! Lists come first, since records contain names from them. Comments have no stamps: the first run reads all
//! of them before the incidents, since a comment that changes meanwhile changes the stamp of its incident;
//! later runs read those of the incidents that changed.

use std::collections::BTreeSet;

use anyhow::Result;
use obeya::model::{Improvement, IncidentV1, Timestamp};

use super::Dataset;
use super::context::SyncContext;
use super::records::Stamped as _;
use super::report::{SyncReport, TableReport};
use super::state::Finished;
use super::{comments, lists, records};

impl SyncContext<'_> {
    /// Copies everything that was selected and that the client may read.
    pub(super) async fn run(mut self) -> Result<SyncReport> {
        let names = lists::organisation(&mut self).await?;
        // Records contain the names of groups and types. A service need not change the stamps of records when
        // such a name changes.
        let renamed = names.is_some() && names != self.state.names_digest;
        let read_all = self.args.full || renamed;
        self.incidents(read_all).await?;
        if self.args.wants(Dataset::Improvements) {
            let done = records::sync::<Improvement>(&mut self, read_all, None).await;
            self.record_outcome("improvements", done)?;
        }
        if renamed && self.has_read_all_records() {
            self.state.names_digest = names;
        }
        super::values::sync(&mut self).await?;
        let is_exact = self.report.is_exact();
        self.state.finished = Some(Finished {
            at: Timestamp::now(),
            is_exact,
        });
        tokio::task::block_in_place(|| self.target.end(&self.state))?;
        Ok(self.report)
    }

    /// Whether this run read all record types that the copy has.
    fn has_read_all_records(&self) -> bool {
        let kinds = [
            (IncidentV1::NAME, Dataset::Incidents),
            (Improvement::NAME, Dataset::Improvements),
        ];
        kinds.into_iter().all(|(name, what)| {
            let is_read = self.args.wants(what) && self.report.has(name);
            is_read || !self.state.watermarks.contains_key(name)
        })
    }

    /// Copies incidents and the comments on them.
    async fn incidents(&mut self, read_all: bool) -> Result<()> {
        let mut wants_comments = self.args.wants(Dataset::Comments);
        if !self.args.wants(Dataset::Incidents) {
            if wants_comments {
                let done = comments::all(self).await;
                self.record_outcome("comments", done)?;
            }
            return Ok(());
        }
        let mut since = None;
        let mut all = None;
        if wants_comments && (read_all || !self.may_follow_comments().await?) {
            // Taken before the comments are read: the comments on incidents that change from here on are read
            // again.
            since = match records::latest::<IncidentV1>(self.client).await {
                Ok((_, mark)) => Some(mark),
                Err(error) => return self.record_outcome("incidents", Err(error)),
            };
            match comments::all(self).await {
                Ok(line) => all = Some(line),
                Err(error) => {
                    self.record_outcome("comments", Err(error))?;
                    wants_comments = false;
                }
            }
        }
        let mut line = match records::sync::<IncidentV1>(self, read_all, since).await {
            Ok(line) => line,
            Err(error) => return self.record_outcome("incidents", Err(error)),
        };
        let followed = if wants_comments {
            Some(self.follow(all, &mut line).await)
        } else {
            None
        };
        self.record_outcome("incidents", Ok(line))?;
        followed.map_or(Ok(()), |done| self.record_outcome("comments", done))
    }

    /// Whether it is enough to read the comments on changed incidents: the copy has all comments, and the
    /// service changes an incident's stamp when its comments change.
    async fn may_follow_comments(&self) -> Result<bool> {
        let has_both = self.state.stale_comments.is_some()
            && self.state.watermarks.contains_key(IncidentV1::NAME);
        Ok(has_both && self.client.comments().covered_by_incident_stamps().await?)
    }

    /// Reads the comments on changed incidents until no incident changes. `all` is the result of reading all
    /// comments, if this run has done so.
    async fn follow(
        &mut self,
        all: Option<TableReport>,
        incidents: &mut TableReport,
    ) -> Result<TableReport> {
        let mut counts = all.unwrap_or_default().counts;
        let mut is_exact = false;
        for round in 0..=records::MAX_ROUNDS {
            let changed = self.state.stale_comments.clone();
            // Compare the counts even if this run has read all comments: an incident that was deleted before
            // the incidents were read leaves comments whose incident the copy never had.
            is_exact =
                changed.as_ref().is_some_and(BTreeSet::is_empty) && comments::has_all(self).await?;
            if is_exact || round == records::MAX_ROUNDS {
                break;
            }
            counts += match changed {
                Some(changed) if !changed.is_empty() => {
                    comments::of_incidents(self, changed).await?
                }
                // Too many incidents changed, or comments changed without a change of their incidents.
                _ => comments::all(self).await?.counts,
            };
            let more = records::sync::<IncidentV1>(self, false, None).await?;
            incidents.rows = more.rows;
            incidents.counts += more.counts;
            incidents.is_exact = more.is_exact;
        }
        Ok(TableReport {
            rows: comments::copied(self)?,
            counts,
            is_exact,
        })
    }
}
