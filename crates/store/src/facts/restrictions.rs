//! Every entity says how each kind of grants applies to it.

use super::{columns, with_store};
use crate::entities::{self, Restriction, restriction};

/// Columns with the id of a record to which a client can be restricted.
const OWNERS: [&str; 7] = [
    "area_id",
    "board_group_id",
    "datasource_id",
    "follow_up_group_id",
    "group_id",
    "incident_type_id",
    "reported_by_group_id",
];

#[tokio::test]
async fn every_entity_says_what_restricts_its_rows() {
    for entity in entities::all() {
        let name = entity.name;
        let restriction = restriction(entity).unwrap_or_else(|| {
            panic!("crates/store/src/entities/restrictions.rs: no entry for {name}")
        });
        let restricting: Vec<&str> = match restriction {
            Restriction::Owner | Restriction::Member => continue,
            Restriction::Incident => vec!["incident_id"],
            Restriction::Columns(by) | Restriction::Task(by) => {
                [by.area, by.datasource, by.group, by.incident_type].concat()
            }
        };
        let columns = with_store(move |session| columns(session, entity.table)).await;
        for column in &restricting {
            assert!(columns.contains(*column), "{name} has no column {column}");
        }
        for column in OWNERS {
            assert!(
                !columns.contains(column) || restricting.contains(&column),
                "crates/store/src/entities/restrictions.rs: {column} does not restrict {name}"
            );
        }
    }
}
