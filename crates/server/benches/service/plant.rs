//! The data of the bench, made from a fixed rule and imported.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;

use obeya_server::admin::{self, NewClient};
use obeya_server::import::{ImportOptions, import_dir};

/// Groups, each with five boards.
pub const GROUPS: usize = 200;
const VALUES: usize = 1_000_000;
const COMMENTS: usize = 100_000;
/// Incidents, each with as many comments.
const INCIDENTS: usize = 2_000;

/// Words that 10,000 comments hold each, two to a comment.
const COMMON: [&str; 20] = [
    "bearing",
    "hydraulic",
    "pressure",
    "conveyor",
    "operator",
    "inspection",
    "replaced",
    "cleaned",
    "leaking",
    "overheated",
    "spindle",
    "gearbox",
    "sensor",
    "calibrated",
    "forklift",
    "packaging",
    "welding",
    "stopped",
    "restarted",
    "vibration",
];
const SYLLABLES: [&str; 10] = ["ka", "lo", "mi", "ne", "tu", "ro", "si", "va", "de", "po"];

/// The n-th word that 10,000 comments hold.
pub fn common_word(n: usize) -> String {
    COMMON[n % COMMON.len()].to_owned()
}

/// The n-th of a thousand words that 100 comments hold each.
pub fn rare_word(n: usize) -> String {
    let syllable = |place: usize| SYLLABLES[n / place % SYLLABLES.len()];
    [syllable(100), syllable(10), syllable(1)].concat()
}

/// A database with a client.
pub struct Plant {
    /// Its address, as the service takes it.
    pub db: String,
    /// A client that may read and write everything.
    pub client: NewClient,
    /// How long the import took, in seconds.
    pub import_seconds: f64,
}

impl Plant {
    /// Writes the data as JSON Lines in `folder` and imports it into a new database.
    pub fn import(folder: &Path, db: String) -> Self {
        let lines = folder.join("lines");
        std::fs::create_dir(&lines).expect("the folder is empty");
        write_lines(&lines);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let report = import_dir(&lines, &db, ImportOptions::default(), Arc::new(()))
                .await
                .expect("the data is right");
            let scopes = ["public.api.read", "public.api.write"];
            let client = admin::add_client(&db, "bench", &scopes).await;
            Self {
                client: client.expect("a client"),
                import_seconds: report.elapsed.as_secs_f64(),
                db,
            }
        })
    }
}

fn write_lines(folder: &Path) {
    let instant = |seconds: usize| {
        let instant = jiff::Timestamp::from_second(
            i64::try_from(1_672_531_200 + seconds).expect("a small number"),
        );
        instant.expect("within range").to_string()
    };
    let write = |name: &str, count: usize, line: &dyn Fn(usize, &mut String)| {
        let mut file =
            BufWriter::new(File::create(folder.join(name)).expect("the folder can be written"));
        let mut text = String::new();
        for n in 1..=count {
            text.clear();
            line(n, &mut text);
            file.write_all(text.as_bytes())
                .and_then(|()| file.write_all(b"\n"))
                .expect("the disk has room");
        }
        file.flush().expect("the disk has room");
    };
    write("groups.jsonl", GROUPS, &|n, out| {
        let _ = write!(
            out,
            r#"{{"id":{n},"type":"GENERAL","name":"Group {n}","description":"Team {n} of the plant","level":1,"sortOrder":{n},"isSystemGroup":false}}"#
        );
    });
    write("boards.jsonl", GROUPS * 5, &|n, out| {
        let (group, public) = (n % GROUPS + 1, n % 2 == 0);
        let _ = write!(
            out,
            r#"{{"id":{n},"name":"Board {}","boardType":"Kanban","isPublic":{public},"groupId":{group},"projectId":null}}"#,
            n * 7919 % 1000
        );
    });
    write("incident_types.jsonl", 1, &|_, out| {
        out.push_str(r#"{"id":1,"title":"Failure","categories":[{"id":1,"title":"Machine"}]}"#);
    });
    write("incidents.jsonl", INCIDENTS, &|n, out| {
        // One in a hundred is in the trash.
        let deleted = if n % 100 == 0 {
            r#","deletedDate":"2026-01-01T00:00:00Z""#
        } else {
            ""
        };
        let _ = write!(
            out,
            r#"{{"id":{n},"incidentTypeId":1,"title":"Press {n} stopped","severity":"Low","incidentDate":"2025-01-01","categories":[{{"id":1}}]{deleted}}}"#
        );
    });
    write("incident_comments.jsonl", COMMENTS, &|n, out| {
        let (one, other) = (common_word(n), common_word(n / COMMON.len() * 3 + n + 7));
        let _ = write!(
            out,
            r#"{{"id":{n},"incidentId":{},"text":"The {one} at press {} is {other} again: {} changed on the night shift, see T-{:05}","commentDate":"{}","commentedBy":"Night shift"}}"#,
            n * 7919 % INCIDENTS + 1,
            n % 12,
            rare_word(n * 31),
            n / 10,
            instant(n * 300)
        );
    });
    write("datasources.jsonl", 1, &|_, out| {
        out.push_str(r#"{"id":1,"title":"Output of the presses"}"#);
    });
    write("datasource_values.jsonl", VALUES, &|n, out| {
        // A value a minute from 2023 on, registered some seconds later; a comment on every fifth.
        let comment = if n % 5 == 0 {
            r#""measured by hand""#
        } else {
            "null"
        };
        let shift = ["early", "late", "night"][n / 480 % 3];
        let _ = write!(
            out,
            r#"{{"id":{n},"dataSourceId":1,"registrationDate":"{}","areaId":{},"value":{}.{:02},"description":{comment},"dimension":"{shift}","dimension2":"Press {}","dimension3":"A-{}","valueDate":"{}","externalId":"mes-{n}"}}"#,
            instant(n * 60 + 7),
            n % 7 + 1,
            n * 7919 % 1000,
            n % 100,
            n % 12,
            n % 40,
            instant(n * 60)
        );
    });
}
