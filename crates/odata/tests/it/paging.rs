//! Pages that go on after a place in the order give the rows of the whole list, whatever it is ordered by.

use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Scope, Sqlite, Value};
use rusqlite::{Connection, StatementStatus};

use crate::model::{BOARD, COMMENT, DATASOURCE_VALUE, GROUP, INCIDENT};
use crate::store::{Store, bind, encode, int, on_each_engine};

/// Reads a list in pages of `size` rows, as often as it takes.
fn walk(store: &Store, entity: &'static EntityType, query: &str, size: u64) -> Vec<i64> {
    let bound = bind(entity, query).unwrap();
    let id = bound
        .columns()
        .iter()
        .position(|column| column.name == entity.key)
        .unwrap();
    let mut after: Option<Vec<Value>> = None;
    let mut ids = Vec::new();
    loop {
        let scope = Scope {
            limit: Some(size),
            ..Scope::default()
        };
        let page = match &after {
            None => sql::page(&bound, store.dialect(), &scope),
            Some(values) => sql::page_after(&bound, store.dialect(), &scope, values).unwrap(),
        };
        let mut rows = Vec::new();
        for statement in &page.statements {
            rows.extend(store.rows(statement).unwrap());
        }
        rows.truncate(usize::try_from(size).unwrap());
        ids.extend(rows.iter().map(|row| int(&row[id])));
        let Some(last) = rows.last() else {
            return ids;
        };
        assert!(ids.len() < 1000, "{query} goes in circles: {ids:?}");
        after = Some(page.keys.iter().map(|&key| last[key].clone()).collect());
    }
}

fn pages_of_any_size_give_the_rows_of_the_whole_list(store: &Store) {
    for (entity, orderby) in [
        (&BOARD, "id"),
        (&BOARD, "id desc"),
        (&BOARD, "name"),
        (&BOARD, "name desc"),
        (&BOARD, "isPublic desc,name"),
        (&BOARD, "groupId desc,name desc,id desc"),
        (&BOARD, "length(name),tolower(name) desc"),
        (&BOARD, "group/name,isPublic"),
        (&BOARD, "group/parent/name desc"),
        (&BOARD, "contains(name,'a') desc"),
        (&GROUP, "boards/$count desc"),
        (&GROUP, "parentId,level desc"),
        (&GROUP, "parentId desc,level"),
        (&DATASOURCE_VALUE, "value"),
        (&DATASOURCE_VALUE, "value desc"),
        (&DATASOURCE_VALUE, "value mul -1.5,dimension desc"),
        (&DATASOURCE_VALUE, "valueDate desc,value"),
        (&INCIDENT, "incidentDate desc"),
        (&INCIDENT, "severity,incidentDate"),
        (&COMMENT, "parentId,commentDate desc"),
    ] {
        let query = format!("$orderby={}", encode(orderby));
        let whole = store.ids(entity, &query).unwrap();
        assert!(whole.len() > 3, "{orderby}");
        for size in [1, 2, 3, 1000] {
            assert_eq!(
                walk(store, entity, &query, size),
                whole,
                "{orderby} in pages of {size}"
            );
        }
    }
}

fn a_filter_holds_on_every_page_and_the_count_is_of_all(store: &Store) {
    let query = "$filter=isPublic&$orderby=name%20desc&$count=true";
    let whole = store.ids(&BOARD, query).unwrap();
    assert_eq!(walk(store, &BOARD, query, 2), whole);
    let bound = bind(&BOARD, query).unwrap();
    let count = sql::count(&bound, store.dialect(), &Scope::default());
    assert_eq!(
        store.rows(&count).unwrap(),
        [[Value::Int(whole.len() as i64)]]
    );
}

/// Steps of SQLite's machine for a page of 100 boards that goes on after a board.
fn steps(connection: &Connection, query: &str, after: &[Value]) -> i32 {
    let bound = bind(&BOARD, query).unwrap();
    let scope = Scope {
        limit: Some(100),
        ..Scope::default()
    };
    let page = sql::page_after(&bound, &Sqlite, &scope, after).unwrap();
    let (mut found, mut steps) = (0, 0);
    for statement in &page.statements {
        let mut prepared = connection.prepare(&statement.sql).unwrap();
        for (place, value) in (1..).zip(&statement.binds) {
            match value {
                Value::Int(value) => prepared.raw_bind_parameter(place, value).unwrap(),
                Value::Text(value) => prepared.raw_bind_parameter(place, value).unwrap(),
                other => panic!("no key is {other:?}"),
            }
        }
        let mut rows = prepared.raw_query();
        while found < 100 && rows.next().unwrap().is_some() {
            found += 1;
        }
        drop(rows);
        steps += prepared.get_status(StatementStatus::VmStep);
    }
    assert_eq!(found, 100, "{query}");
    steps
}

#[test]
fn a_far_page_costs_what_the_first_costs() {
    let connection = Connection::open_in_memory().unwrap();
    let columns: Vec<&str> = BOARD
        .properties
        .iter()
        .map(|property| property.name)
        .collect();
    connection
        .execute_batch(&format!(
            "CREATE TABLE {table} ({}); CREATE UNIQUE INDEX by_id ON {table} (id); CREATE INDEX by_name ON {table} (name, id);
             WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 10200)
             INSERT INTO {table} (id, name, boardType) SELECT id, 'Board ' || printf('%05d', id / 3), 'Weekly' FROM n;
             CREATE INDEX by_type ON {table} (boardType, id)",
            columns.join(", "),
            table = BOARD.table,
        ))
        .unwrap();
    let name = |id: i64| Value::Text(format!("Board {:05}", id / 3));
    for (query, place) in [
        (
            "",
            &(|id| vec![Value::Int(id)]) as &dyn Fn(i64) -> Vec<Value>,
        ),
        ("$orderby=name", &|id| vec![name(id), Value::Int(id)]),
        ("$orderby=name%20desc,id%20desc", &|id| {
            vec![name(10_200 - id), Value::Int(10_200 - id)]
        }),
        // All of them share it.
        ("$orderby=boardType", &|id| {
            vec![Value::Text("Weekly".into()), Value::Int(id)]
        }),
    ] {
        let (near, far) = (
            steps(&connection, query, &place(1)),
            steps(&connection, query, &place(9_999)),
        );
        assert!(
            far < near + near / 10,
            "{query}: {near} and then {far} steps"
        );
    }
}

on_each_engine!(
    pages_of_any_size_give_the_rows_of_the_whole_list,
    a_filter_holds_on_every_page_and_the_count_is_of_all,
);
