//! Values aggregated by period: the rows of each format, computed by hand, and what is refused.

use super::plant::{DATASOURCE, Plant, beside, changed};
use super::read;

/// Values around the end of summer time in Oslo, 26 October 2025: a day there from 22:00 to 23:00 UTC.
const VALUES: &str = "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, dimension) VALUES
    (13, 17613432000000000, 1, 2.0, 1, 'a'),
    (13, 17614386000000000, 2, 4.0, 1, 'a'),
    (13, 17614422000000000, 3, 9.0, 1, 'b'),
    (13, 17615195999999999, 4, NULL, 1, 'a'),
    (13, 17615196000000000, 5, -1.0, 1, 'a')";

fn plant() -> Plant {
    let plant = Plant::new();
    changed(&plant.database(), VALUES);
    plant
}

#[test]
fn periods_are_rows() {
    let plant = plant();
    let pull = |more: &[&str]| {
        let arguments = [&["values", DATASOURCE, "--by"], more].concat();
        plant.run(&arguments).success()
    };
    assert_eq!(
        pull(&["day", "--agg", "sum", "--zone", "Europe/Oslo"]),
        "start,value,count\n\
         2025-10-24T22:00:00Z,2.0,1\n\
         2025-10-25T22:00:00Z,13.0,3\n\
         2025-10-26T23:00:00Z,-1.0,1\n"
    );
    assert_eq!(
        pull(&["day", "--where", "dimension eq 'a'"]),
        "start,value,count\n\
         2025-10-24T00:00:00Z,2.0,1\n\
         2025-10-26T00:00:00Z,1.5,3\n"
    );
    // The first bound is included, the second excluded.
    let bounds = [
        "--from",
        "2025-10-26T00:30:00Z",
        "--to",
        "2025-10-26T23:00:00Z",
    ];
    assert_eq!(
        pull(&[&["month", "--agg", "max"], &bounds[..]].concat()),
        "start,value,count\n2025-10-01T00:00:00Z,9.0,3\n"
    );
    // A day begins at midnight in the zone.
    let bounds = ["--from", "2025-10-26", "--to", "2025-10-27"];
    assert_eq!(
        pull(
            &[
                &["day", "--agg", "sum", "--zone", "Europe/Oslo"],
                &bounds[..]
            ]
            .concat()
        ),
        "start,value,count\n2025-10-25T22:00:00Z,13.0,3\n"
    );
    assert_eq!(
        pull(&["15min", "--agg", "min", "--top", "1", "--format", "ndjson"]),
        "{\"start\":\"2025-10-24T22:00:00Z\",\"value\":2.0,\"count\":1}\n"
    );
    assert_eq!(
        pull(&["week", "--where", "value gt 100"]),
        "start,value,count\n"
    );
}

#[test]
fn periods_are_columns() {
    let plant = plant();
    let arguments = [
        "values",
        DATASOURCE,
        "--by",
        "hour",
        "--zone",
        "Europe/Oslo",
    ];
    let file = plant.pulled(&arguments, "hours.parquet");
    let batches = read::parquet(&file);
    let schema = batches[0].schema();
    let columns: Vec<(&str, String)> = schema
        .fields()
        .iter()
        .map(|field| (field.name().as_str(), field.data_type().to_string()))
        .collect();
    assert_eq!(
        columns,
        [
            ("start", "Timestamp(µs, \"UTC\")".to_owned()),
            ("value", "Float64".to_owned()),
            ("count", "Int64".to_owned()),
        ]
    );
    // The hour that is repeated is two.
    let starts: Vec<serde_json::Value> = read::objects(&batches)
        .iter()
        .map(|period| period["start"].clone())
        .collect();
    assert_eq!(
        starts,
        [
            "2025-10-24T22:00:00Z",
            "2025-10-26T00:00:00Z",
            "2025-10-26T01:00:00Z",
            "2025-10-26T22:00:00Z",
            "2025-10-26T23:00:00Z",
        ]
    );
}

#[test]
fn other_orders_and_unknown_zones_are_refused() {
    let plant = plant();
    let file = plant.file("periods.csv");
    let path = file.to_str().expect("UTF-8");
    for (more, code, expected) in [
        (&["--agg", "sum"][..], 2, "--by"),
        (&["--zone", "Europe/Oslo"], 2, "--by"),
        (&["--by", "fortnight"], 2, "fortnight"),
        (&["--by", "day", "--order-by", "value"], 2, "--order-by"),
        (&["--by", "day", "--page-size", "10"], 2, "--page-size"),
        (&["--by", "day", "--zone", "Europe/Olso"], 2, "Europe/Olso"),
        (
            &["--by", "day", "--where", "true)/filter(true"],
            1,
            "$filter",
        ),
    ] {
        let arguments = [&["values", DATASOURCE, "-o", path], more].concat();
        let err = plant.run(&arguments).failure(code);
        assert!(err.contains(expected), "{more:?}: {err}");
        assert!(
            !file.exists() && !beside(&file, ".part").exists(),
            "{more:?}"
        );
    }
}
