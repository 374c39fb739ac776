//! Rows that are hidden from a query, wherever it meets them.

use std::sync::Arc;

use insta::assert_snapshot;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Predicate, Scope, Sqlite, Value};
use obeya_odata::{Bound, Context, Limits, OptionName, Options, RowConditions, Visibility};

use crate::model::{BOARD, GROUP};
use crate::store::{Store, int, on_each_engine};

fn bind_within(rows: RowConditions, entity: &'static EntityType, query: &str) -> Bound {
    let limits = Limits::default();
    let (options, _) = Options::parse(query, OptionName::ALL, &limits).unwrap();
    let visibility = Visibility {
        rows: Some(Arc::new(rows)),
        ..Visibility::default()
    };
    let context = Context { now: 0, limits };
    options.bind_within(entity, &context, &visibility).unwrap()
}

/// Only two groups and their boards.
fn of_two_groups() -> RowConditions {
    let ids = [Value::Int(2), Value::Int(7)];
    RowConditions::new([
        (
            GROUP.name,
            Some(Predicate::new("{t}.id IN (?, ?)", ids.clone())),
        ),
        (
            BOARD.name,
            Some(Predicate::new("{t}.\"groupId\" IN (?, ?)", ids)),
        ),
    ])
}

fn ids(store: &Store, query: &Bound) -> Vec<i64> {
    let statement = sql::select(query, store.dialect(), &Scope::default());
    let rows = store.rows(&statement).unwrap();
    rows.iter().map(|row| int(&row[0])).collect()
}

fn the_rows_of_an_entity_without_a_condition_are_hidden(store: &Store) {
    let all = RowConditions::new([(BOARD.name, None)]);
    let query = bind_within(all.clone(), &BOARD, "$select=id");
    assert_eq!(ids(store, &query).len(), 8);
    let query = bind_within(all, &BOARD, "$select=id&$filter=group ne null");
    assert!(ids(store, &query).is_empty());
    let query = bind_within(RowConditions::new([]), &BOARD, "$select=id");
    assert!(ids(store, &query).is_empty());
    let count = sql::count(&query, store.dialect(), &Scope::default());
    assert_eq!(store.rows(&count).unwrap(), [[Value::Int(0)]]);
}

fn an_expanded_row_is_hidden_too(store: &Store) {
    let query = bind_within(of_two_groups(), &BOARD, "$expand=group($select=id)");
    let parents = [2, 3, 7].map(Value::Int);
    let expand = &query.expands()[0];
    let statement = sql::expand(expand, store.dialect(), &parents, &Scope::default());
    let rows = store.rows(&statement).unwrap();
    let mut shown: Vec<i64> = rows.iter().map(|row| int(&row[0])).collect();
    shown.sort_unstable();
    assert_eq!(shown, [2, 7]);
}

on_each_engine!(
    the_rows_of_an_entity_without_a_condition_are_hidden,
    an_expanded_row_is_hidden_too,
);

/// In the list, the join of a path and the members of a lambda, with the values bound once for each entity.
#[test]
fn conditions_are_added_to_each_table_that_a_query_names() {
    let sql = |query: &str| {
        let bound = bind_within(of_two_groups(), &BOARD, query);
        let statement = sql::select(&bound, &Sqlite, &Scope::default());
        format!("{}\n{:?}", statement.sql, statement.binds)
    };
    assert_snapshot!(sql("$select=id&$filter=group/parent/name eq 'Plant' and group/boards/any(b:b/name eq name)"), @r#"SELECT t0."id" FROM "boards" AS t0 LEFT JOIN "groups" AS t1 ON t1."id" = t0."groupId" AND (t1.id IN (?3, ?4)) LEFT JOIN "groups" AS t2 ON t2."id" = t1."parentId" AND (t2.id IN (?3, ?4)) WHERE ((t2."name" = ?5) AND EXISTS (SELECT 1 FROM "boards" AS t3 WHERE t3."groupId" = t1."id" AND (t3."groupId" IN (?1, ?2)) AND (t3."name" IS t0."name"))) AND (t0."groupId" IN (?1, ?2)) ORDER BY t0."id"
[Int(2), Int(7), Int(2), Int(7), Text("Plant")]"#);
    assert_snapshot!(sql("$select=id&$filter=6 div id gt 1"), @r#"SELECT t0."id" FROM "boards" AS t0 WHERE CASE WHEN (t0."groupId" IN (?1, ?2)) IS NOT TRUE THEN FALSE WHEN (odata_int_div(?3, t0."id") > ?4) THEN TRUE ELSE FALSE END AND (t0."groupId" IN (?1, ?2)) ORDER BY t0."id"
[Int(2), Int(7), Int(6), Int(1)]"#);
}
