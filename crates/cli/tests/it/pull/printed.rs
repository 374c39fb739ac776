//! To stdout.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use super::plant::{DATASOURCE, Plant};
use super::read::{csv, lines};
use crate::binary::done;

#[test]
fn without_a_file_it_prints_and_nothing_else_does() {
    let plant = Plant::new();
    let wire = plant.records("/v2/areas");
    let printed = plant.run(&["areas"]);
    assert_eq!(printed.err(), "", "no bar where there is no terminal");
    let (_, rows) = csv(&printed.success());
    assert_eq!(rows.len(), wire.len());
    let out = plant
        .run(&["areas", "--format", "ndjson", "-o", "-"])
        .success();
    assert_eq!(lines(&out).len(), wire.len());
    let out = plant.run(&["areas", "--format", "arrow"]);
    assert_eq!(out.code(), Some(0), "{}", out.err());
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let plant = Plant::with_values(20_000);
    let values = ["values", DATASOURCE, "--page-size", "100"];
    let mut child = plant.pull(&values).spawn().expect("started");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    assert!(line.starts_with("id,"), "{line}");
    drop(out);
    let mut err = String::new();
    child
        .stderr
        .take()
        .expect("piped")
        .read_to_string(&mut err)
        .expect("read");
    assert_eq!(
        (child.wait().expect("ended").code(), err.as_str()),
        (Some(0), "")
    );
}

/// A full disk is no reader who goes away.
#[cfg(target_os = "linux")]
#[test]
fn rows_that_cannot_be_printed_are_a_failure() {
    let plant = Plant::new();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("open");
    let mut command = plant.pull(&["areas"]);
    command.stdout(Stdio::from(full));
    let ended = done(&mut command);
    assert_eq!(ended.code(), Some(1));
    assert!(
        ended
            .err()
            .starts_with("error: the rows cannot be written\n  because: "),
        "{}",
        ended.err()
    );
}
