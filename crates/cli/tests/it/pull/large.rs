//! A pull of many values takes little memory.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::plant::{DATASOURCE, Plant};
use super::read;

/// How much a pull may take at most.
const MEMORY_BYTES: u64 = 150 << 20;

fn values() -> u32 {
    if std::env::var_os("OBEYA_TEST_LONG").is_some() {
        5_000_000
    } else {
        200_000
    }
}

/// The most memory that a process has had so far; `None` when it has ended.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_values() {
    let plant = Plant::with_values(values());
    for name in ["all.parquet", "all.csv"] {
        let file = plant.file(name);
        let begun = Instant::now();
        let mut command = plant.pull(&["values", DATASOURCE, "-o", file.to_str().expect("UTF-8")]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("started");
        let mut most = 0;
        let code = loop {
            most = peak(&child).unwrap_or(0).max(most);
            if let Some(status) = child.try_wait().expect("waited") {
                break status.code();
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let took = begun.elapsed().as_secs_f64();
        println!(
            "{name}: {} values, {} MB of memory, {:.0} values/s, {} MB of file",
            values(),
            most >> 20,
            f64::from(values()) / took,
            file.metadata().map_or(0, |file| file.len()) >> 20,
        );
        assert_eq!(code, Some(0));
        assert!(
            most > 1 << 20 && most <= MEMORY_BYTES,
            "{name}: {most} bytes"
        );
    }
    let rows: usize = read::parquet(&plant.file("all.parquet"))
        .iter()
        .map(arrow_array::RecordBatch::num_rows)
        .sum();
    assert_eq!(rows, values() as usize);
    let text = std::fs::read_to_string(plant.file("all.csv")).expect("read");
    assert_eq!(
        csv::Reader::from_reader(text.as_bytes()).records().count(),
        values() as usize
    );
}
