//! The model as a whole, and what the database makes of it.

use obeya_odata::edm::{Property, Type};
use obeya_odata::{Context, Limits, OptionName, Options, Visibility, sql};

use super::*;
use crate::grants::Grants;
use crate::{Store, StoreOptions, Value};

#[test]
fn the_model_is_sound() {
    let faults: Vec<_> = all().iter().flat_map(|entity| entity.check()).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// How the database goes about a list for a client with these grants, a line for each step.
async fn plan(entity: &'static EntityType, query: &str, grants: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("plant.db").display());
    let store = Store::open(&url, &StoreOptions::default()).await.unwrap();
    let limits = Limits::default();
    let (options, _) = Options::parse(query, OptionName::ALL, &limits).unwrap();
    let visibility = Visibility {
        rows: grants.parse::<Grants>().unwrap().rows().cloned(),
        ..Visibility::default()
    };
    let context = Context { now: 0, limits };
    let bound = options.bind_within(entity, &context, &visibility).unwrap();
    let statement = sql::select(&bound, &sql::Sqlite, &sql::Scope::default());
    let steps = store.read(move |session| {
        let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
        let binds = vec![Value::Null; statement.binds.len()];
        session.all(&sql, &binds, |row| row.string(3))
    });
    let steps: Vec<String> = steps.await.unwrap().into_iter().flatten().collect();
    steps.join("\n")
}

#[tokio::test]
async fn comments_are_led_to_by_their_indexes_one_by_one() {
    for query in [
        "$filter=contains(text,'bearing')",
        "$filter=startswith(text,'Bea') or text eq 'Seal'&$orderby=id desc&$top=5",
        "$search=bearing&$top=5",
    ] {
        let plan = plan(&INCIDENT_COMMENT, query, "").await;
        let steps: Vec<&str> = plan.lines().collect();
        assert!(
            steps[0].starts_with("SCAN t1 VIRTUAL TABLE INDEX")
                && steps[1] == "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)"
                && !plan.contains("TEMP B-TREE"),
            "{query}\n{plan}"
        );
    }
}

#[tokio::test]
async fn the_records_of_a_restricted_client_are_found_by_indexes() {
    let by_group = [
        "USING INDEX incidents_by_reporting_group (reported_by_group_id=?)",
        "USING INDEX incidents_by_follow_up_group (follow_up_group_id=?)",
    ];
    let by_area = ["USING INDEX incidents_by_area (area_id=?)"];
    for (entity, grants, expected) in [
        (&INCIDENT, "group=4", &by_group[..]),
        (&INCIDENT_V2, "group=4 group=7", &by_group),
        (&INCIDENT_V2, "area=3 area=4", &by_area),
        (&INCIDENT, "area=3 datasource=5", &by_area),
        (
            &INCIDENT_V2,
            "incident-type=2",
            &["USING INDEX incidents_by_type"],
        ),
        (
            &IMPROVEMENT,
            "group=4",
            &["USING INDEX improvements_by_group"],
        ),
        (&BOARD, "group=4", &["USING INDEX boards_by_group"]),
    ] {
        let plan = plan(entity, "", grants).await;
        assert!(
            expected.iter().all(|step| plan.contains(step)) && !plan.contains("SCAN"),
            "{} {grants}\n{plan}",
            entity.name
        );
    }
}

/// The read engine reads link values as ids: integers, or texts of users.
#[test]
fn every_link_is_an_id() {
    for entity in all() {
        for navigation in entity.navigations {
            let column = |property: &&Property| matches!(property.column, Column::Name(name) if name == navigation.from);
            let from = entity
                .properties
                .iter()
                .find(column)
                .map(|property| property.ty);
            let leads_to_a_user = navigation.target.name == "User" || entity.name == "User";
            let expected = if leads_to_a_user {
                Type::String
            } else {
                Type::Int32
            };
            assert_eq!(from, Some(expected), "{}.{}", entity.name, navigation.name);
        }
    }
}
