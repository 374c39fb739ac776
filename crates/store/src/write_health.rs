//! Whether writes work, as the writer found it, and how many commits failed, by cause.
//!
//! A write that meets a [`WriteFault`] sets it; only the probe of the upkeep clears it
//! ([`super::Store::probe_write`]). A write that succeeds does not: it may have changed nothing, or have been
//! small enough for the last bytes of a full disk. Where the space cannot be known for sure, several probes
//! in a row must succeed, so that readiness does not alternate with each write that is too large.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::StoreError;
use super::engine::WriteFault;

/// The causes of failed commits that are no [`WriteFault`].
const OTHER_CAUSES: [&str; 3] = ["unavailable", "uncertain", "other"];

/// The number of causes that [`WriteHealth::failed_commits`] tells apart.
pub const COMMIT_CAUSES: usize = WriteFault::ALL.len() + OTHER_CAUSES.len();

/// Shared by the writer, which reports, and those who ask.
#[derive(Debug, Default)]
pub(super) struct WriteHealth {
    noted: Mutex<Noted>,
    failed: [AtomicU64; COMMIT_CAUSES],
}

/// The last fault that was met.
#[derive(Debug, Default)]
struct Noted {
    fault: Option<WriteFault>,
    /// How many probes have succeeded since.
    probes: u32,
}

impl WriteHealth {
    /// Why writes do not work now; `None` when they do, as far as is known.
    pub(super) fn fault(&self) -> Option<WriteFault> {
        self.locked().fault
    }

    /// How many faults were met so far, for [`Self::probed`].
    pub(super) fn faults_met(&self) -> u64 {
        let counts = &self.failed[..WriteFault::ALL.len()];
        counts
            .iter()
            .map(|count| count.load(Ordering::Relaxed))
            .sum()
    }

    /// A probe succeeded. Writes work again, unless another fault was met since [`Self::faults_met`] returned
    /// `met`, or fewer than `needed` probes have succeeded since a full disk. Returns the fault that remains.
    pub(super) fn probed(&self, met: u64, needed: u32) -> Option<WriteFault> {
        let mut noted = self.locked();
        if self.faults_met() != met {
            return noted.fault;
        }
        noted.probes += 1;
        if noted.fault != Some(WriteFault::DiskFull) || noted.probes >= needed {
            *noted = Noted::default();
        }
        noted.fault
    }

    /// Counts a commit that failed with this error, and notes its fault.
    pub(super) fn failed(&self, error: &StoreError) {
        let other = match error {
            StoreError::NotWritable(fault, _) => return self.met(*fault),
            StoreError::Unavailable(_) => 0,
            StoreError::Uncertain(_) => 1,
            _ => 2,
        };
        self.failed[WriteFault::ALL.len() + other].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a commit that failed, at least for one of its writes, because of this fault; and notes it.
    pub(super) fn met(&self, fault: WriteFault) {
        let mut noted = self.locked();
        self.failed[fault as usize].fetch_add(1, Ordering::Relaxed);
        *noted = Noted {
            fault: Some(fault),
            probes: 0,
        };
    }

    /// Failed commits, with the name of each cause.
    pub(super) fn failed_commits(&self) -> [(&'static str, u64); COMMIT_CAUSES] {
        let mut names = WriteFault::ALL
            .into_iter()
            .map(WriteFault::name)
            .chain(OTHER_CAUSES);
        self.failed.each_ref().map(|count| {
            let name = names.next().expect("as many names as counters");
            (name, count.load(Ordering::Relaxed))
        })
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Noted> {
        // Consistent after each change, so a poisoned lock is safe to use.
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_commit_is_counted_under_its_cause_and_a_fault_stays_until_it_is_cleared() {
        let health = WriteHealth::default();
        health.failed(&StoreError::NotWritable(WriteFault::Standby, String::new()));
        health.met(WriteFault::DiskFull);
        for error in [
            StoreError::Unavailable(String::new()),
            StoreError::Uncertain(String::new()),
            StoreError::Timeout,
            StoreError::Constraint(String::new()),
        ] {
            health.failed(&error);
        }
        let counted = [
            ("disk_full", 1),
            ("disk_failure", 0),
            ("read_only", 0),
            ("standby", 1),
            ("unavailable", 1),
            ("uncertain", 1),
            ("other", 2),
        ];
        assert_eq!(health.failed_commits(), counted);
        assert_eq!(health.fault(), Some(WriteFault::DiskFull));
        assert_eq!(health.probed(health.faults_met(), 1), None);
        assert_eq!(health.fault(), None);
    }

    #[test]
    fn a_full_disk_is_over_after_several_probes_and_any_other_fault_after_one() {
        let health = WriteHealth::default();
        let probed = || health.probed(health.faults_met(), 3);
        let full = Some(WriteFault::DiskFull);
        health.met(WriteFault::DiskFull);
        assert_eq!([probed(), probed()], [full, full]);
        // A write that is too large begins the count anew.
        health.met(WriteFault::DiskFull);
        assert_eq!([probed(), probed(), probed()], [full, full, None]);
        assert_eq!(health.fault(), None);
        health.met(WriteFault::Standby);
        assert_eq!(probed(), None);
    }

    #[test]
    fn a_fault_that_was_met_during_a_probe_stays() {
        let health = WriteHealth::default();
        health.met(WriteFault::DiskFull);
        let met = health.faults_met();
        health.met(WriteFault::DiskFull);
        assert_eq!(health.probed(met, 1), Some(WriteFault::DiskFull));
        assert_eq!(health.fault(), Some(WriteFault::DiskFull));
        // A commit that failed for another reason shows nothing about writing.
        let met = health.faults_met();
        health.failed(&StoreError::Timeout);
        assert_eq!(health.probed(met, 1), None);
    }
}
