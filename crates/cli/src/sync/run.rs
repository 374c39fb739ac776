//! One run: what is asked for, in which order.
//!
//! Lists come first, since records bear names that stand in them. Comments have no stamps: all of them are
//! read before the incidents, since what happens to comments while they are read shows in the incidents; or,
//! once the copy has them, those of the incidents that changed.

use std::collections::BTreeSet;

use anyhow::Result;
use obeya::model::{Improvement, Incident, Timestamp};

use super::What;
use super::context::SyncContext;
use super::records::Stamped as _;
use super::report::{Line, Report};
use super::state::Finished;
use super::{lists, records};

impl SyncContext<'_> {
    /// Everything that is wanted and may be read.
    pub(super) async fn all(mut self) -> Result<Report> {
        let names = lists::organisation(&mut self).await?;
        // Records bear the names of groups and types. A service of this interface need not stamp them when
        // these change.
        let renamed = names.is_some() && names != self.state.names;
        let anew = self.args.full || renamed;
        self.incidents(anew).await?;
        if self.args.wants(What::Improvements) {
            let done = records::sync::<Improvement>(&mut self, anew, None).await;
            self.record_outcome("improvements", done)?;
        }
        if renamed && self.has_read_all_records() {
            self.state.names = names;
        }
        super::values::sync(&mut self).await?;
        let is_exact = self.report.is_exact();
        self.state.finished = Some(Finished {
            at: Timestamp::now(),
            is_exact,
        });
        self.target.save(&self.state)?;
        Ok(self.report)
    }

    /// Whether this run read all kinds of records that the copy has.
    fn has_read_all_records(&self) -> bool {
        let kinds = [
            (Incident::NAME, What::Incidents),
            (Improvement::NAME, What::Improvements),
        ];
        kinds.into_iter().all(|(name, what)| {
            let is_read = self.args.wants(what) && self.report.has(name);
            is_read || !self.state.records.contains_key(name)
        })
    }

    /// Incidents and the comments on them, which come and go with them.
    async fn incidents(&mut self, anew: bool) -> Result<()> {
        let mut wants_comments = self.args.wants(What::Comments);
        if !self.args.wants(What::Incidents) {
            if wants_comments {
                let done = lists::comments(self).await;
                self.record_outcome("comments", done)?;
            }
            return Ok(());
        }
        let mut since = None;
        let mut all = None;
        if wants_comments && (anew || !self.may_follow_comments().await?) {
            // Noted before the comments are read: whatever happens to an incident from here on, its comments
            // are read once more.
            since = match records::latest::<Incident>(self.client).await {
                Ok((_, mark)) => Some(mark),
                Err(error) => return self.record_outcome("incidents", Err(error)),
            };
            match lists::comments(self).await {
                Ok(line) => all = Some(line),
                Err(error) => {
                    self.record_outcome("comments", Err(error))?;
                    wants_comments = false;
                }
            }
        }
        let mut line = match records::sync::<Incident>(self, anew, since).await {
            Ok(line) => line,
            Err(error) => return self.record_outcome("incidents", Err(error)),
        };
        let comments = if wants_comments {
            Some(self.follow(all, &mut line).await)
        } else {
            None
        };
        self.record_outcome("incidents", Ok(line))?;
        comments.map_or(Ok(()), |done| self.record_outcome("comments", done))
    }

    /// Whether the copy has the comments on its incidents, and whatever happens to them shows in the stamps
    /// of these.
    async fn may_follow_comments(&self) -> Result<bool> {
        let has_both =
            self.state.comments.is_some() && self.state.records.contains_key(Incident::NAME);
        Ok(has_both && self.client.comments().covered_by_incident_stamps().await?)
    }

    /// Reads the comments on incidents anew that changed, until none does. `all` is what came of reading all
    /// comments, if this run has done so.
    async fn follow(&mut self, all: Option<Line>, incidents: &mut Line) -> Result<Line> {
        let mut counts = all.unwrap_or_default().counts;
        let mut is_exact = false;
        for round in 0..=records::ROUNDS {
            let changed = self.state.comments.clone();
            // They are counted even if this run has read them all: those of an incident that was deleted
            // before the incidents were read went with one that the copy never had.
            is_exact = changed.as_ref().is_some_and(BTreeSet::is_empty)
                && lists::has_all_comments(self).await?;
            if is_exact || round == records::ROUNDS {
                break;
            }
            counts += match changed {
                Some(changed) if !changed.is_empty() => lists::comments_of(self, changed).await?,
                // More incidents changed than are followed, or comments came and went and no incident tells.
                _ => lists::comments(self).await?.counts,
            };
            let more = records::sync::<Incident>(self, false, None).await?;
            incidents.rows = more.rows;
            incidents.counts += more.counts;
            incidents.is_exact = more.is_exact;
        }
        Ok(Line {
            rows: self.comments()?,
            counts,
            is_exact,
        })
    }
}
