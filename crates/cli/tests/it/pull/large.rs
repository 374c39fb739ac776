//! A pull of many values takes little memory.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::plant::{DATASOURCE, Plant};
use super::read;

/// How much a pull may take at most.
const MEMORY_BYTES: u64 = 150 << 20;
/// How much more one of many values may take than one of some: the row group under way, and what the
/// allocator keeps. Held as records, the others would take three times as much.
const GROWTH_BYTES: u64 = 24 << 20;

fn values() -> u32 {
    if obeya_testkit::is_long() {
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

/// Pulls into a file; returns the peak memory.
fn measured(plant: &Plant, more: &[&str], name: &str) -> u64 {
    let file = plant.file(name);
    // What an earlier round made; there is none at first.
    let _ = std::fs::remove_file(&file);
    let begun = Instant::now();
    let path = file.to_str().expect("UTF-8");
    let mut command = plant.pull(&[&["values", DATASOURCE, "-o", path], more].concat());
    command.stdout(Stdio::null()).stderr(Stdio::inherit());
    let mut child = command.spawn().expect("started");
    let mut most = 0;
    let code = loop {
        most = peak(&child).unwrap_or(0).max(most);
        if let Some(status) = child.try_wait().expect("waited") {
            break status.code();
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    println!(
        "{name}: {} MB of memory, {:.1} s, {} MB of file",
        most >> 20,
        begun.elapsed().as_secs_f64(),
        file.metadata().map_or(0, |file| file.len()) >> 20,
    );
    assert_eq!(code, Some(0));
    most
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_values() {
    let plant = Plant::with_values(values());
    for ending in ["parquet", "csv"] {
        // The first 60,000 are more than what is on the way at a time.
        let some = measured(&plant, &["--to", "2024-02-06"], &format!("some.{ending}"));
        // A peak also has what a busy machine lets pile up for a moment, so the least of several counts.
        let mut more = u64::MAX;
        for _ in 0..3 {
            let all = measured(&plant, &[], &format!("all.{ending}"));
            assert!(
                all > 1 << 20 && all <= MEMORY_BYTES,
                "{ending}: {all} bytes"
            );
            more = more.min(all.saturating_sub(some));
            if more <= GROWTH_BYTES {
                break;
            }
        }
        assert!(more <= GROWTH_BYTES, "{ending}: {more} bytes more");
    }
    let batches = read::parquet(&plant.file("all.parquet"));
    let rows: usize = batches.iter().map(arrow_array::RecordBatch::num_rows).sum();
    assert_eq!(rows, values() as usize);
    let text = std::fs::read_to_string(plant.file("all.csv")).expect("read");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.records().count(), values() as usize);
}
