//! Lines → batches in the folder, a batch for each datasource. Nothing here sends.

use std::collections::{BTreeMap, HashSet};

use anyhow::Result;
use obeya::model::DatasourceValueInput;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::line::{Line, Reading};
use crate::spool::Spool;
use crate::{Settings, stopped};

/// The most topics without a datasource that are named in the log: a broker may have any number.
const MOST_NAMED: usize = 100;

/// What became of the lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// Values that are in a batch.
    pub values: u64,
    /// Lines of topics without a datasource.
    pub unmapped: u64,
    /// Lines that are no reading.
    pub faulty: u64,
}

/// Takes lines until there are no more, or `stop` is true and those already read are taken. Each batch that
/// was written is announced by `wake`.
pub(crate) async fn gather(
    settings: &Settings,
    spool: &Spool,
    mut lines: mpsc::Receiver<Line>,
    wake: mpsc::Sender<()>,
    stop: watch::Receiver<bool>,
) -> Result<Gathered> {
    let mut gatherer = Gatherer {
        settings,
        spool,
        wake,
        open: BTreeMap::new(),
        named: HashSet::new(),
        gathered: Gathered::default(),
    };
    let mut stop = Box::pin(stopped(stop));
    let mut is_stopped = false;
    // When the oldest value that waits has waited long enough.
    let mut due = None;
    loop {
        let wait = due.unwrap_or_else(Instant::now);
        tokio::select! {
            line = lines.recv() => match line {
                Some(line) => gatherer.take(&line)?,
                None => break,
            },
            () = tokio::time::sleep_until(wait), if due.is_some() => gatherer.write_all()?,
            () = &mut stop, if !is_stopped => {
                is_stopped = true;
                lines.close();
            }
        }
        due = match gatherer.open.is_empty() {
            true => None,
            false => due.or_else(|| Some(Instant::now() + settings.most_age)),
        };
    }
    gatherer.write_all()?;
    Ok(gatherer.gathered)
}

struct Gatherer<'a> {
    settings: &'a Settings,
    spool: &'a Spool,
    wake: mpsc::Sender<()>,
    /// The values that wait for others, by datasource.
    open: BTreeMap<i32, Vec<DatasourceValueInput>>,
    named: HashSet<String>,
    gathered: Gathered,
}

impl Gatherer<'_> {
    fn take(&mut self, line: &Line) -> Result<()> {
        let reading = match Reading::parse(&line.text) {
            Ok(reading) => reading,
            Err(fault) => {
                self.gathered.faulty += 1;
                tracing::warn!("{}, line {}: {fault}", line.source, line.number);
                return Ok(());
            }
        };
        let Some((datasource, value)) = self.settings.topics.value(&reading) else {
            self.gathered.unmapped += 1;
            let is_new = !self.named.contains(reading.topic);
            if is_new && self.named.len() < MOST_NAMED {
                self.named.insert(reading.topic.to_owned());
                tracing::info!(topic = reading.topic, "left out: it has no datasource");
            }
            return Ok(());
        };
        self.gathered.values += 1;
        let values = self.open.entry(datasource).or_default();
        values.push(value);
        if values.len() >= self.settings.most_values {
            let values = self.open.remove(&datasource).unwrap_or_default();
            self.write(datasource, values)?;
        }
        Ok(())
    }

    fn write_all(&mut self) -> Result<()> {
        for (datasource, values) in std::mem::take(&mut self.open) {
            self.write(datasource, values)?;
        }
        Ok(())
    }

    /// It waits for the disk, for some milliseconds: then so does the sender, which needs that disk too.
    fn write(&self, datasource: i32, values: Vec<DatasourceValueInput>) -> Result<()> {
        self.spool.add(datasource, values)?;
        // If it is full, a signal is on its way, and the sender will find this batch too.
        let _ = self.wake.try_send(());
        Ok(())
    }
}
