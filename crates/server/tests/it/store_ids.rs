//! The ids that a table assigns: above every earlier one, from any source.

use obeya_server::store::{Session, StoreError};

use crate::store::opened;
use crate::store_parts::COMMENTS;

const GIVEN: &str = "INSERT INTO incidents (incident_type_id, reported_date, status, severity, title, incident_date, last_modified)
    VALUES (3, 0, 'New', 'Low', 'Noise', 0, 0) RETURNING id";

/// Adds an incident with an id from outside, in the way an import does.
fn add(session: &mut dyn Session, id: i64) -> Result<u64, StoreError> {
    let sql = "INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, last_modified)
        VALUES (?1, 3, 0, 'New', 'Low', 'Smell', 0, 0) ON CONFLICT (id) DO UPDATE SET title = excluded.title";
    session.execute(sql, &[id.into()])
}

#[tokio::test]
async fn an_id_is_above_all_there_have_been() {
    let (_database, store) = opened().await;
    let ids = store.write(|session| {
        for sql in COMMENTS {
            session.execute(sql, &[])?;
        }
        let mut ids = Vec::new();
        let given = |session: &mut dyn Session| session.first(GIVEN, &[], |row| row.int(0));
        // 1 and 2 are there from outside.
        ids.push(given(session)?);
        add(session, 500)?;
        add(session, 7)?;
        ids.push(given(session)?);
        session.execute("DELETE FROM incidents WHERE id > 2", &[])?;
        ids.push(given(session)?);
        // One that is there already changes nothing.
        add(session, 1)?;
        ids.push(given(session)?);
        Ok::<_, StoreError>(ids)
    });
    let ids: Vec<i64> = ids
        .await
        .expect("incidents")
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    assert_eq!(ids, [3, 501, 502, 503]);
}

#[tokio::test]
async fn rows_that_are_appended_push_the_ids_on_as_well() {
    let (_database, store) = opened().await;
    let id = store.write(|session| {
        session.execute(COMMENTS[0], &[])?;
        let columns = [
            "id",
            "incident_type_id",
            "reported_date",
            "status",
            "severity",
            "title",
            "incident_date",
            "last_modified",
        ];
        let rows: Vec<_> = [41, 44, 42]
            .into_iter()
            .flat_map(|id: i64| {
                [
                    id.into(),
                    3_i64.into(),
                    0_i64.into(),
                    "New".into(),
                    "Low".into(),
                    "Dust".into(),
                    0_i64.into(),
                    0_i64.into(),
                ]
            })
            .collect();
        session.append("incidents", &columns, &rows)?;
        session.first(GIVEN, &[], |row| row.int(0))
    });
    assert_eq!(id.await.expect("incidents"), Some(Some(45)));
}
