//! What the system reports of this process.

/// Its resident memory in bytes; on Linux only.
pub(crate) fn resident_bytes() -> Option<u64> {
    of_status(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The resident memory in the text of `/proc/PID/status` (proc_pid_status(5)): `VmRSS:  1234 kB`.
fn of_status(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resident_memory_is_read_in_bytes() {
        let status = "Name:\tobeya\nVmPeak:\t  99999 kB\nVmRSS:\t   14236 kB\nThreads:\t9\n";
        assert_eq!(of_status(status), Some(14_577_664));
        assert_eq!(of_status("Name:\tobeya\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_that_is_touched_counts() {
        let before = resident_bytes().expect("known on Linux");
        let touched = std::hint::black_box(vec![1_u8; 64 << 20]);
        let after = resident_bytes().expect("known on Linux");
        // Other threads of the test may release some meanwhile.
        assert!(after > before + (32 << 20), "{before} {after}");
        drop(touched);
    }
}
