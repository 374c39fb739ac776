//! `obeya demo`: the whole house in one run.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::binary::{database, obeya, run, signal};

#[test]
fn the_demo_does_the_main_job_and_prints_it() {
    let (folder, db) = database();
    let out = run(["demo", "--db", &db]).success();
    for expected in [
        "datasource_values.csv",
        "good for 24 hours",
        "Machining hall B",
        "Electrical and automation",
        "columns  Idea | Next | Doing | Done",
        "6 of ",
        "Utstyrsfeil",
        "PUT /v1/Incidents/{id} ┆ Resolved ┆ Wear, Contamination ┆ 95 min, 12400 NOK ┆ SAP-4711082",
        "┆ Evaluated ┆",
        "GET /v1/Incidents/trash",
        // 104 weeks of 7 days: 24 hours by 3 meters; and of 6 days: 3 shifts by 6 lines by 4 datasources; of
        // 5 days: 8 values; and one.
        "52\u{2009}416 of the plant's 101\u{2009}608 values, 6 pages",
        "GET /v1/Incidents?$filter=status eq 'New'",
        "copy is up to date, in ",
        "All of it in ",
    ] {
        assert!(out.contains(expected), "{expected} is missing in\n{out}");
    }
    // Every operation of the story, as the SDK's observer saw it.
    for operation in [
        "listAreas",
        "listGroupsV2",
        "listBoardsV2",
        "getBoardV1",
        "listIncidentComments",
        "getIncidentTypeV1",
        "createIncident",
        "updateIncidentConsequences",
        "updateIncidentCauses",
        "updateIncidentExternalId",
        "updateIncident",
        "updateImprovement",
        "listTrashedIncidents",
        "listDatasourceValuesV1",
        "listIncidentsV1",
        "listImprovementsV1",
        "updateIncidentSeverity",
    ] {
        assert!(
            out.contains(&format!("│ {operation} ")),
            "{operation} is missing in\n{out}"
        );
    }
    // One incident was changed between the two runs of sync, and that is what the second one wrote.
    let lines: Vec<&str> = out
        .lines()
        .filter(|line| line.starts_with("│ incidents  "))
        .collect();
    let figures = |line: &str| -> Vec<String> {
        line.split('┆')
            .skip(2)
            .take(3)
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    assert_eq!(lines.len(), 2, "{out}");
    assert_eq!(figures(lines[1]), ["0", "1", "0"], "{out}");
    assert!(
        folder.path().join("plant.db").exists(),
        "--db keeps the plant"
    );

    let err = run(["demo", "--db", &db]).failure(1);
    assert!(
        err.starts_with("error: the demo creates a new database"),
        "{err}"
    );
}

#[cfg(unix)]
#[test]
fn with_keep_it_goes_on_serving_and_says_how_to_look_around() {
    let mut child = obeya()
        .args(["demo", "--keep"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut shell = String::new();
    for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
        let line = line.expect("a line");
        if let Some(address) = line.strip_prefix("Still serving on ") {
            shell = address.split(';').next().unwrap_or_default().to_owned();
        }
        // The last line to paste.
        if line.contains("client.datasources()") {
            break;
        }
    }
    let answered = std::net::TcpStream::connect(shell.trim_start_matches("http://")).is_ok();
    signal(&child, "-TERM");
    let code = child.wait().expect("ended").code();
    assert!(answered, "nobody listens on {shell}");
    assert_eq!(code, Some(0));
}
