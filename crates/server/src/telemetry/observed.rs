//! The metrics that are read when they are requested: figures that other parts keep, and sizes of the system.

use std::fmt;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeMetric as _, MetricEncoder, NoLabelSet,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};

use obeya_store::timings::{BOUNDS, Durations, Timings};
use obeya_store::{COMMIT_CAUSES, DiskUsage};

/// The figures at one moment.
#[derive(Debug)]
pub(crate) struct Observed {
    /// The database engine.
    pub(crate) engine: &'static str,
    /// Writes waiting for the store.
    pub(crate) queued_writes: usize,
    /// How often the writes of a commit ran again.
    pub(crate) repeated_commits: u64,
    /// How many commits failed, by cause.
    pub(crate) failed_commits: [(&'static str, u64); COMMIT_CAUSES],
    /// Whether the last write that was tried did not find the database read-only, full or failing.
    pub(crate) takes_writes: bool,
    /// The memory of bodies and answers.
    pub(crate) memory: MemoryUse,
    /// Verified tokens in the cache.
    pub(crate) cached_tokens: usize,
    /// The age of what is known about clients and keys.
    pub(crate) auth_age: Duration,
    /// How long commits and waits took.
    pub(crate) timings: Timings,
    /// The space that the database takes, if it is a file.
    pub(crate) disk: Option<DiskUsage>,
    /// The memory of this process, if the system reports it.
    pub(crate) resident_bytes: Option<u64>,
}

/// The use of the memory for request bodies and unsent answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryUse {
    /// Bytes of answers that are buffered for their clients.
    pub(crate) answers: usize,
    /// Bytes of the bodies of requests.
    pub(crate) bodies: usize,
    /// The limit of both.
    pub(crate) limit: usize,
    /// How often memory was refused.
    pub(crate) refused: u64,
}

impl Observed {
    /// A registry of these figures, whose names begin with `prefix`.
    pub(super) fn registry(self, prefix: &str) -> Registry {
        let mut registry = Registry::default();
        if let Some(bytes) = self.resident_bytes {
            // The name that Prometheus' own clients have for it, without a prefix.
            registry.register_with_unit(
                "process_resident_memory",
                "Resident memory of the process",
                Unit::Bytes,
                ConstGauge::new(bytes),
            );
        }
        let own = registry.sub_registry_with_prefix(prefix);
        own.register_collector(Box::new(self));
        registry
    }
}

impl Collector for Observed {
    fn encode(&self, encoder: DescriptorEncoder) -> fmt::Result {
        let mut out = Encoder(encoder);
        let version = env!("CARGO_PKG_VERSION");
        out.info(
            "build",
            "The version of the service and the engine of its database",
            &[("version", version), ("engine", self.engine)],
        )?;
        out.gauge(
            "http_held_bytes",
            "Bytes of responses buffered for slow clients",
            self.memory.answers as u64,
        )?;
        out.gauge(
            "http_body_bytes",
            "Bytes of request bodies in memory",
            self.memory.bodies as u64,
        )?;
        out.gauge(
            "http_memory_limit_bytes",
            "Limit of the bytes of request bodies and buffered responses",
            self.memory.limit as u64,
        )?;
        out.counter(
            "http_memory_refused",
            "How often there was no memory for a request body or for bytes of a response",
            self.memory.refused,
        )?;
        out.gauge(
            "tokens_remembered",
            "Verified tokens remembered",
            self.cached_tokens as u64,
        )?;
        out.seconds(
            "auth_read_age",
            "Time since the last successful read of clients, their settings and signing keys began",
            self.auth_age,
        )?;
        out.gauge(
            "store_queued_writes",
            "Writes waiting for the store",
            self.queued_writes as u64,
        )?;
        out.counter(
            "store_repeated_commits",
            "How often the writes of a commit ran again: after a failure of one that had changed something, or after a conflict with another transaction",
            self.repeated_commits,
        )?;
        out.counters(
            "store_failed_commits",
            "Commits that failed, by cause",
            "cause",
            &self.failed_commits,
        )?;
        out.gauge(
            "store_takes_writes",
            "1 if writes work as far as is known, 0 if the disk is full or failing, or the database is read-only",
            self.takes_writes.into(),
        )?;
        out.durations(
            "store_commit_duration",
            "Time of a commit that succeeded, until it is on disk",
            &self.timings.commits,
        )?;
        out.durations(
            "store_writer_wait",
            "Time that a write waited for the writer",
            &self.timings.writer_waits,
        )?;
        out.durations_by_work(
            "store_reader_wait",
            "Time that work waited for a reader, by kind of work; only work that had to wait",
            &self.timings.reader_waits,
        )?;
        let Some(disk) = self.disk else {
            return Ok(());
        };
        out.bytes("store_file", "Size of the database file", disk.file_bytes)?;
        out.bytes("store_wal", "Size of the write-ahead log", disk.wal_bytes)?;
        match disk.free_bytes {
            Some(bytes) => out.bytes(
                "store_free",
                "Free space on the file system of the database",
                bytes,
            ),
            None => Ok(()),
        }
    }
}

/// Writes metrics with their descriptions.
struct Encoder<'a>(DescriptorEncoder<'a>);

impl Encoder<'_> {
    fn info(&mut self, name: &str, help: &str, labels: &[(&str, &str); 2]) -> fmt::Result {
        let mut metric = self
            .0
            .encode_descriptor(name, help, None, MetricType::Info)?;
        metric.encode_info(labels)
    }

    fn gauge(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let metric = self
            .0
            .encode_descriptor(name, help, None, MetricType::Gauge)?;
        ConstGauge::new(value).encode(metric)
    }

    fn bytes(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let unit = Some(&Unit::Bytes);
        let metric = self
            .0
            .encode_descriptor(name, help, unit, MetricType::Gauge)?;
        ConstGauge::new(value).encode(metric)
    }

    /// A duration in whole seconds.
    fn seconds(&mut self, name: &str, help: &str, value: Duration) -> fmt::Result {
        let unit = Some(&Unit::Seconds);
        let metric = self
            .0
            .encode_descriptor(name, help, unit, MetricType::Gauge)?;
        ConstGauge::new(value.as_secs()).encode(metric)
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let metric = self
            .0
            .encode_descriptor(name, help, None, MetricType::Counter)?;
        ConstCounter::new(value).encode(metric)
    }

    fn counters(
        &mut self,
        name: &str,
        help: &str,
        label: &'static str,
        series: &[(&'static str, u64)],
    ) -> fmt::Result {
        let kind = MetricType::Counter;
        let mut family = self.0.encode_descriptor(name, help, None, kind)?;
        for (value, count) in series {
            ConstCounter::new(*count).encode(family.encode_family(&[(label, *value)])?)?;
        }
        Ok(())
    }

    fn durations(&mut self, name: &str, help: &str, durations: &Durations) -> fmt::Result {
        let unit = Some(&Unit::Seconds);
        let metric = self
            .0
            .encode_descriptor(name, help, unit, MetricType::Histogram)?;
        histogram(metric, durations)
    }

    fn durations_by_work(
        &mut self,
        name: &str,
        help: &str,
        series: &[(&'static str, Durations)],
    ) -> fmt::Result {
        let unit = Some(&Unit::Seconds);
        let mut family = self
            .0
            .encode_descriptor(name, help, unit, MetricType::Histogram)?;
        for (work, durations) in series {
            histogram(family.encode_family(&[("work", *work)])?, durations)?;
        }
        Ok(())
    }
}

fn histogram(mut metric: MetricEncoder<'_>, durations: &Durations) -> fmt::Result {
    let bounds = BOUNDS
        .iter()
        .map(Duration::as_secs_f64)
        .chain([f64::INFINITY]);
    let buckets: Vec<(f64, u64)> = bounds.zip(durations.buckets).collect();
    let count = durations.buckets.iter().sum();
    metric.encode_histogram::<NoLabelSet>(durations.sum.as_secs_f64(), count, &buckets, None)
}

#[cfg(test)]
impl Observed {
    /// Some figures, for tests.
    pub(super) fn example() -> Self {
        let durations = |buckets| Durations {
            buckets,
            sum: Duration::from_millis(1500),
        };
        let none = durations([0; BOUNDS.len() + 1]);
        let mut some = none.clone();
        some.buckets[0] = 2;
        some.buckets[BOUNDS.len()] = 1;
        Self {
            engine: "sqlite",
            queued_writes: 3,
            repeated_commits: 4,
            failed_commits: [("disk_full", 5); COMMIT_CAUSES],
            takes_writes: false,
            memory: MemoryUse {
                answers: 70,
                bodies: 71,
                limit: 72,
                refused: 73,
            },
            cached_tokens: 5,
            auth_age: Duration::from_millis(7_900),
            timings: Timings {
                commits: some.clone(),
                writer_waits: none.clone(),
                reader_waits: [
                    ("poll", none.clone()),
                    ("control", none.clone()),
                    ("point", none.clone()),
                    ("short", none),
                    ("long", some),
                ],
            },
            disk: Some(DiskUsage {
                file_bytes: 4096,
                wal_bytes: 8192,
                free_bytes: Some(1 << 40),
            }),
            resident_bytes: Some(20_000_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text;

    use super::*;

    fn lines(observed: Observed) -> Vec<String> {
        let mut text = String::new();
        text::encode_registry(&mut text, &observed.registry("obeya")).expect("text");
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_figure_has_its_line() {
        let found = lines(Observed::example());
        for line in [
            concat!(
                r#"obeya_build_info{version=""#,
                env!("CARGO_PKG_VERSION"),
                r#"",engine="sqlite"} 1"#
            ),
            "obeya_http_held_bytes 70",
            "obeya_http_body_bytes 71",
            "obeya_http_memory_limit_bytes 72",
            "obeya_http_memory_refused_total 73",
            "obeya_tokens_remembered 5",
            "obeya_auth_read_age_seconds 7",
            "obeya_store_queued_writes 3",
            "obeya_store_repeated_commits_total 4",
            r#"obeya_store_failed_commits_total{cause="disk_full"} 5"#,
            "obeya_store_takes_writes 0",
            "obeya_store_commit_duration_seconds_sum 1.5",
            "obeya_store_commit_duration_seconds_count 3",
            r#"obeya_store_commit_duration_seconds_bucket{le="0.0001"} 2"#,
            r#"obeya_store_commit_duration_seconds_bucket{le="10.0"} 2"#,
            r#"obeya_store_commit_duration_seconds_bucket{le="+Inf"} 3"#,
            "obeya_store_writer_wait_seconds_count 0",
            r#"obeya_store_reader_wait_seconds_count{work="point"} 0"#,
            r#"obeya_store_reader_wait_seconds_bucket{le="0.0001",work="long"} 2"#,
            "obeya_store_file_bytes 4096",
            "obeya_store_wal_bytes 8192",
            "obeya_store_free_bytes 1099511627776",
            "process_resident_memory_bytes 20000000",
        ] {
            assert!(
                found.iter().any(|found| found == line),
                "{line} in {found:#?}"
            );
        }
    }

    #[test]
    fn what_is_not_known_has_no_line() {
        let unknown = Observed {
            disk: None,
            resident_bytes: None,
            ..Observed::example()
        };
        let found = lines(unknown).join("\n");
        for name in ["store_file", "store_wal", "store_free", "process_"] {
            assert!(!found.contains(name), "{name} in {found}");
        }
    }
}
