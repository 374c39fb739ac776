//! Lost connections, stopped servers, and the errors they cause.

use std::time::{Duration, Instant};

use obeya_testkit::postgres::{Cluster, Shutdown, server};

use super::scratch::{PASSWORD, Scratch, admin, connect, one, options, process, terminate, url};
use crate::connect::{Connect as _, Connection as _, Work};
use crate::postgres::Postgres;
use crate::postgres::server::Role;
use crate::{Session as _, StoreError, StoreOptions, Value, WriteFault};

#[test]
fn a_connection_from_the_pool_that_died_is_replaced_before_anybody_notices() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    let first = process(&mut reader);
    terminate(first);
    let second = process(&mut reader);
    assert_ne!(first, second);
    assert!(!reader.is_lost());
    // Also in a snapshot, until it has returned a result.
    terminate(second);
    reader.begin_read().unwrap();
    let third = process(&mut reader);
    assert_ne!(second, third);
    assert_eq!(process(&mut reader), third);
    reader.end_read().unwrap();
    let isolation = "SELECT (current_setting('transaction_isolation') = 'repeatable read')::int";
    reader.begin_read().unwrap();
    assert_eq!(one(&mut reader, isolation, &[]).unwrap(), Some(1));
    reader.end_read().unwrap();
}

#[test]
fn a_snapshot_that_was_seen_is_not_replaced_by_another() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    reader.begin_read().unwrap();
    terminate(process(&mut reader));
    let lost = one(&mut reader, "SELECT 5", &[]);
    assert!(matches!(lost, Err(StoreError::Unavailable(text)) if text.contains("administrator")));
    assert!(reader.is_lost());
}

#[test]
fn rows_that_were_given_are_not_given_again() {
    let scratch = Scratch::new();
    let mut reader = scratch.reader();
    let process = process(&mut reader);
    let mut seen = 0;
    let sql = "SELECT n, repeat('x', 1000) FROM generate_series(1, 200000) AS n";
    let cut = reader.query(sql, &[], &mut |row| {
        seen += 1;
        assert_eq!(row.int(0)?, Some(seen));
        if seen == 1 {
            terminate(process);
        }
        Ok(std::ops::ControlFlow::Continue(()))
    });
    assert!(matches!(cut, Err(StoreError::Unavailable(_))), "{cut:?}");
    assert!((1..200_000).contains(&seen));
    assert!(reader.is_lost());
}

#[test]
fn a_writer_that_was_lost_says_so_and_another_takes_its_place() {
    let (_scratch, postgres, mut writer) = Scratch::migrated();
    writer.control("CREATE TABLE t (a bigint)").unwrap();
    terminate(process(&mut writer));
    assert!(matches!(
        writer.begin_write(),
        Err(StoreError::Unavailable(_))
    ));
    assert!(writer.is_lost() && !writer.is_in_transaction());
    let mut writer = postgres.writer().unwrap();
    writer.begin_write().unwrap();
    writer
        .execute("INSERT INTO t VALUES (?1)", &[Value::Int(1)])
        .unwrap();
    terminate(process(&mut writer));
    // It is unknown whether the server received the commit.
    assert!(matches!(writer.commit(), Err(StoreError::Uncertain(_))));
    assert!(writer.is_lost() && !writer.is_in_transaction());
    let mut writer = postgres.writer().unwrap();
    writer.begin_write().unwrap();
    assert_eq!(
        one(&mut writer, "SELECT count(*) FROM t", &[]).unwrap(),
        Some(0)
    );
    terminate(process(&mut writer));
    let lost = writer.execute("INSERT INTO t VALUES (?1)", &[Value::Int(1)]);
    assert!(matches!(lost, Err(StoreError::Unavailable(_))));
    assert!(writer.is_lost());
    // The loss was known before the commit was sent.
    assert!(matches!(writer.commit(), Err(StoreError::Unavailable(_))));
}

#[test]
fn a_server_that_stopped_is_reported_at_once_and_used_again_when_it_is_back() {
    let mut cluster = Cluster::new(PASSWORD);
    cluster.start(&[]);
    let (postgres, mut writer) = Postgres::open(&url(&cluster, ""), &options()).unwrap();
    let mut reader = postgres.reader(Work::Point).unwrap();
    assert_eq!(one(&mut reader, "SELECT 5", &[]).unwrap(), Some(5));
    writer.begin_write().unwrap();
    cluster.stop(Shutdown::Fast);
    let begun = Instant::now();
    for lost in [
        one(&mut reader, "SELECT 5", &[]).map(drop),
        writer
            .execute("UPDATE stamps SET last = last", &[])
            .map(drop),
        postgres.reader(Work::Long).map(drop),
        postgres.writer().map(drop),
    ] {
        assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{lost:?}");
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
    cluster.start(&[]);
    assert!(reader.is_lost() && writer.is_lost());
    let mut reader = postgres.reader(Work::Point).unwrap();
    assert_eq!(one(&mut reader, "SELECT 5", &[]).unwrap(), Some(5));
    let mut writer = postgres.writer().unwrap();
    writer.begin_write().unwrap();
    writer.commit().unwrap();
}

/// Another server may be the primary, behind the same address.
#[test]
fn a_writer_on_a_standby_is_given_up_and_the_next_one_connects_again() {
    let mut cluster = Cluster::new(PASSWORD);
    cluster.start(&[]);
    drop(Postgres::open(&url(&cluster, ""), &options()).unwrap());
    cluster.stop(Shutdown::Fast);
    cluster.write("data/standby.signal", "");
    cluster.start(&[]);
    let (postgres, mut writer) = Postgres::open(&url(&cluster, ""), &options()).unwrap();
    for _ in 0..2 {
        assert!(!writer.is_lost());
        let refused = writer.begin_write();
        assert!(
            matches!(
                refused,
                Err(StoreError::NotWritable(WriteFault::Standby, _))
            ),
            "{refused:?}"
        );
        assert!(writer.is_lost() && !writer.is_in_transaction());
        assert_eq!(writer.take_write_fault(), Some(WriteFault::Standby));
        writer = postgres.writer().unwrap();
    }
}

#[test]
fn a_server_that_says_nothing_any_more_is_not_waited_for_without_end() {
    let mut cluster = Cluster::new(PASSWORD);
    cluster.start(&[]);
    let options = StoreOptions {
        statement_budget: Duration::from_millis(50),
        busy_timeout: Duration::from_millis(50),
        ..options()
    };
    let mut writer = connect(&url(&cluster, ""), Role::Writer, &options).unwrap();
    let process = process(&mut writer).to_string();
    let signal = |name: &str| {
        let sent = std::process::Command::new("kill")
            .args([name, &process])
            .status();
        assert!(sent.unwrap().success());
    };
    signal("-STOP");
    let silent = one(&mut writer, "SELECT 5", &[]);
    signal("-CONT");
    assert!(
        matches!(silent, Err(StoreError::Unavailable(text)) if text.contains("did not answer"))
    );
    assert!(writer.is_lost());
}

#[test]
fn connections_beyond_what_the_server_takes_are_unavailable() {
    let mut cluster = Cluster::new(PASSWORD);
    cluster.start(&[
        "max_connections=5",
        "superuser_reserved_connections=0",
        "max_wal_senders=0",
    ]);
    let opened: Vec<_> = (0..8)
        .map(|_| connect(&url(&cluster, ""), Role::Reader, &options()))
        .collect();
    let refused = opened.iter().filter(|one| {
        matches!(one, Err(StoreError::Unavailable(text)) if text.contains("too many clients"))
    });
    assert_eq!(refused.count(), 3);
}

#[test]
fn an_unreachable_server_is_reported_with_its_address_and_without_the_password() {
    for url in [
        "postgres://u:hunter2@127.0.0.1:1/d",
        "postgres://u@127.0.0.1:1/d?password=hunter2",
        "postgres://u:hunter2@host.invalid/d",
        "postgres:///d?user=u&password=hunter2&host=/nowhere/at/all",
    ] {
        let failed = connect(url, Role::Reader, &options());
        let Err(StoreError::Unavailable(text)) = failed else {
            panic!("{url} was taken");
        };
        assert!(
            text.contains("postgres://u@") && text.contains("/d cannot be used"),
            "{text}"
        );
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn a_connection_may_be_dropped_where_nothing_may_block() {
    let reader = connect(&server(), Role::Reader, &options()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async { drop(reader) });
}

#[test]
fn somebody_at_the_address_who_says_nothing_is_given_up() {
    let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = mute.local_addr().unwrap().port();
    let url = format!("postgres://u@127.0.0.1:{port}/d?connect_timeout=1");
    let begun = Instant::now();
    let failed = connect(&url, Role::Reader, &options()).map(drop);
    assert!(
        matches!(&failed, Err(StoreError::Unavailable(text)) if text.contains("did not answer")),
        "{failed:?}"
    );
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_server_is_reached_through_a_socket_in_the_file_system() {
    let mut cluster = Cluster::new(PASSWORD);
    let folder = cluster.path("").display().to_string();
    cluster.start(&[&format!("unix_socket_directories={folder}")]);
    let url = url(&cluster, "");
    let port = url
        .split(&[':', '/', '?'][..])
        .rev()
        .find_map(|part| part.parse::<u16>().ok());
    let url = format!(
        "postgres:///postgres?host={folder}&port={}&user=postgres&password=s3cret-%26-%40long&sslmode=require",
        port.unwrap()
    );
    let mut reader = connect(&url, Role::Reader, &options()).unwrap();
    let is_local = "SELECT (inet_server_addr() IS NULL)::int";
    assert_eq!(one(&mut reader, is_local, &[]).unwrap(), Some(1));
}

#[test]
fn a_database_of_another_encoding_is_refused() {
    let name = format!("obeya_latin_{}", std::process::id());
    admin(&format!(
        "CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'"
    ));
    let server = server();
    let authority = server.find("://").unwrap() + 3;
    let path = server[authority..].find('/').map(|at| authority + at);
    let url = format!("{}/{name}", &server[..path.unwrap_or(server.len())]);
    let refused = connect(&url, Role::Reader, &options()).map(drop);
    admin(&format!("DROP DATABASE {name}"));
    assert!(
        matches!(&refused, Err(StoreError::Schema(text)) if text.contains("LATIN1")),
        "{refused:?}"
    );
}
