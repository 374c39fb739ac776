//! Tables into a database.

use obeya_testkit::postgres::Scratch;
use serde_json::json;

use super::{Table, exported, imported, says};
use crate::binary::database;
use crate::credentials::import_plant;

/// In Windows-1252 with semicolons, below a title, as Excel saves a list in Norway.
const NORWEGIAN: &[u8] = b"Avviksliste 2026;;;;;;\r\n\
;;;;;;\r\n\
Tittel;Dato;Alvorlighet;Omr\xe5de;Ansvarlig;Frist;Farge\r\n\
L\xf8s bolt;2.3.2026;H\xf8y;press SHOP;Ingrid Solheim;03.03.2026 12:00;r\xf8d\r\n\
Oljes\xf8l;03.03.2026;lav;;;;\r\n";

#[test]
fn a_norwegian_list_is_imported_once_into_sqlite() {
    let (_dir, db) = database();
    norwegian(&db);
}

#[test]
fn a_norwegian_list_is_imported_once_into_postgresql() {
    norwegian(Scratch::empty().url());
}

fn norwegian(db: &str) {
    import_plant(db);
    let table = Table::new("avvik.csv", NORWEGIAN);
    let more = ["--set", "incidentType=near miss", "--tz", "Europe/Oslo"];
    let tried = table
        .import("incidents", db, &[&more[..], &["--dry-run"]].concat())
        .success();
    says(
        &tried,
        &[
            "avvik.csv: 2 rows below the header in line 3\n",
            "Windows-1252",
            "separator: semicolon",
            "every record: incidentType = near miss",
            "\"Alvorlighet\" is severity\n",
            "\"Farge\" is not imported\n",
            "the guess was written to ",
            "2 records would be stored, 0 there already, 0 lines left out",
        ],
    );
    assert!(imported(db).is_empty(), "a dry run stores nothing");

    // The settings of the first run are in the map that it wrote.
    let done = table.import("incidents", db, &[]).success();
    says(
        &done,
        &[
            "the map ",
            "2 records stored, 0 there already, 0 lines left out",
        ],
    );
    let incidents = imported(db);
    let digest = incidents[0]["externalId"]
        .as_str()
        .expect("a text")
        .rsplit_once(':')
        .expect("a line")
        .0;
    for (incident, expected) in incidents.iter().zip([
        json!({
            "title": "Løs bolt", "incidentDate": "2026-03-02", "severity": "High", "areaId": 3,
            "responsibleUserId": "u-104", "dueDate": "2026-03-03T11:00:00Z", "incidentTypeId": 6,
            "externalId": format!("{digest}:4"),
        }),
        json!({
            "title": "Oljesøl", "incidentDate": "2026-03-03", "severity": "Low", "areaId": null,
            "externalId": format!("{digest}:5"),
        }),
    ]) {
        for (name, value) in expected.as_object().expect("an object") {
            assert_eq!(&incident[name], value, "{name} of {incident}");
        }
    }

    let again = table.import("incidents", db, &[]).success();
    says(&again, &["0 records stored, 2 there already"]);
    assert_eq!(imported(db), incidents, "nothing changed");
}

#[test]
fn lines_with_faults_are_listed_and_nothing_is_stored_beyond_what_is_allowed() {
    let (_dir, db) = database();
    import_plant(&db);
    let table = Table::new(
        "avvik.csv",
        "Title,Date,Type,Team\n\
         Fine,2026-03-02,Near miss,Assembly team\n\
         ,2026-03-02,Near miss,\n\
         Late,2026-02-30,Near miss,Team 9\n\
         Other,2026-03-02,Flood,Team 9\n"
            .as_bytes(),
    );
    let refused = table.import("incidents", &db, &["--allow-faults", "2"]);
    assert_eq!(refused.code(), Some(1));
    says(
        &refused.out(),
        &[
            "line 3, column \"Title\": found nothing, expected a text\n",
            "line 4, column \"Date\": found \"2026-02-30\", expected a day\n",
            "\"Team 9\" is the name or id of no record, expected a group (column \"Team\", 1 line: 5)\n",
            "\"Flood\" is the name or id of no record, expected an incident type (column \"Type\", 1 line: 5)\n",
        ],
    );
    says(
        &refused.err(),
        &["3 lines cannot be imported, and --allow-faults is 2: nothing was stored"],
    );
    assert!(imported(&db).is_empty());
    let done = table
        .import("incidents", &db, &["--allow-faults", "3"])
        .success();
    says(
        &done,
        &["1 record stored, 0 there already, 3 lines left out"],
    );
    assert_eq!(imported(&db).len(), 1);
}

#[test]
fn what_a_file_leaves_open_is_asked_before_anything_is_stored() {
    let (_dir, db) = database();
    import_plant(&db);
    let table = Table::new("oee.csv", b"Date;Value;Dimension\n03/04/2026;1,234;early\n");
    let more = ["--set", "dataSource=Overall equipment effectiveness"];
    let refused = table.import("values", &db, &more);
    assert_eq!(refused.code(), Some(1));
    says(
        &refused.err(),
        &["03/04/2026", "--dates dmy", "1,234", "--decimal comma"],
    );
    let decided = [&more[..], &["--dates", "dmy", "--decimal", "comma"]].concat();
    table.import("values", &db, &decided).success();
    let values = exported(&db, "datasource_values");
    let value = values.last().expect("a value");
    assert_eq!(value["value"], 1.234);
    assert_eq!(value["valueDate"], "2026-04-03T00:00:00Z");
    assert_eq!(value["dataSourceId"], 12);
}

#[test]
fn a_workbook_is_read_with_its_dates_and_the_map_beside_it() {
    let (_dir, db) = database();
    import_plant(&db);
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    let day = rust_xlsxwriter::Format::new().set_num_format("dd.mm.yyyy");
    let header = ["Zeitpunkt", "Messwert", "Schicht"];
    for (column, name) in (0..).zip(header) {
        sheet.write(0, column, name).expect("written");
    }
    for row in 1..=3_u8 {
        let date = rust_xlsxwriter::ExcelDateTime::from_ymd(2026, 3, row).expect("a day");
        sheet
            .write_with_format(row.into(), 0, &date, &day)
            .expect("written");
        sheet
            .write(row.into(), 1, f64::from(row) / 4.0)
            .expect("written");
        sheet.write(row.into(), 2, "Früh").expect("written");
    }
    let table = Table::new("oee.xlsx", &book.save_to_buffer().expect("a workbook"));
    let map = "resource = \"values\"\n[set]\ndataSource = \"12\"\n[columns]\n\
               Zeitpunkt = \"valueDate\"\nMesswert = { field = \"value\", factor = 100 }\n\
               Schicht = { field = \"dimension\", words = { \"Früh\" = \"early\" } }\n";
    std::fs::write(table.map(), map).expect("written");
    let done = table.import("values", &db, &[]).success();
    says(&done, &["sheet: Sheet1", "3 records stored"]);
    let values: Vec<_> = exported(&db, "datasource_values")
        .into_iter()
        .filter(|value| value["id"].as_i64() > Some(900_002))
        .map(|value| {
            [
                value["valueDate"].clone(),
                value["value"].clone(),
                value["dimension"].clone(),
            ]
        })
        .collect();
    assert_eq!(
        values,
        [
            [json!("2026-03-01T00:00:00Z"), json!(25.0), json!("early")],
            [json!("2026-03-02T00:00:00Z"), json!(50.0), json!("early")],
            [json!("2026-03-03T00:00:00Z"), json!(75.0), json!("early")],
        ]
    );
}

#[test]
fn improvements_users_and_groups_are_imported_too() {
    let (_dir, db) = database();
    import_plant(&db);
    let groups = Table::new(
        "groups.csv",
        "Gruppe;Overordnet\nTeam 3;Nordvik plant\nNight shift;\n".as_bytes(),
    );
    says(
        &groups.import("groups", &db, &[]).success(),
        &["1 record stored, 1 there already"],
    );
    let users = Table::new(
        "users.csv",
        "Brukernavn;Fornavn;Etternavn;E-post;Gruppe\nola;Ola;Nordmann;ola@x.example;Team 3;\nTOMAS.BERG;T;B;t@x.example;\n"
            .as_bytes(),
    );
    says(
        &users.import("users", &db, &[]).success(),
        &["1 record stored, 1 there already"],
    );
    let users = exported(&db, "users");
    let ola = users
        .iter()
        .find(|user| user["userName"] == "ola")
        .expect("the user");
    assert_eq!(ola["displayName"], "Ola Nordmann");
    assert_eq!(ola["groups"], json!([7]));
    let improvements = Table::new(
        "ideas.csv",
        "Tittel;Status;Foreslått av;Gevinst;Team\nMer lys;Planlagt;Ola Nordmann;1 250,50;Team 3\nMindre støy;;Kari Hansen;;\n".as_bytes(),
    );
    says(
        &improvements.import("improvements", &db, &[]).success(),
        &["2 records stored"],
    );
    let improvements = exported(&db, "improvements");
    let [first, second] = &improvements[improvements.len() - 2..] else {
        panic!("two")
    };
    assert_eq!(first["suggestedByUserId"], ola["id"]);
    assert_eq!(first["status"], "Planned");
    assert_eq!(first["gainOfInvestment"], 1250.5);
    assert_eq!(first["groupId"], 7);
    assert_eq!(second["suggestedBy"], "Kari Hansen");
}

#[test]
fn without_a_database_or_a_service_it_is_refused() {
    let table = Table::new("x.csv", b"Title,Date,Type\nx,2026-01-01,Near miss\n");
    let done = crate::binary::run(table.arguments("incidents", &[]));
    assert_eq!(done.code(), Some(1));
    says(&done.err(), &["expected a database (--db), or --as-client"]);
    let missing = table.import("incidents", "sqlite:/nowhere/plant.db", &[]);
    assert_eq!(missing.code(), Some(1));
    says(&missing.err(), &["there is no database"]);
}
