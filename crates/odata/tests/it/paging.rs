//! Pages that go on after a place in the order give the rows of the whole list, whatever it is ordered by.

use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Scope, Sqlite, Value};

use crate::model::{BOARD, COMMENT, DATASOURCE_VALUE, GROUP, INCIDENT};
use crate::store::{Store, bind, encode, int};

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
            after: after.as_deref(),
            ..Scope::default()
        };
        let page = sql::page(&bound, &Sqlite, &scope);
        let rows = store.rows(&page.statement).unwrap();
        ids.extend(rows.iter().map(|row| int(&row[id])));
        let Some(last) = rows.last() else {
            return ids;
        };
        assert!(ids.len() < 1000, "{query} goes in circles: {ids:?}");
        after = Some(page.keys.iter().map(|&key| last[key].clone()).collect());
    }
}

#[test]
fn pages_of_any_size_give_the_rows_of_the_whole_list() {
    let store = Store::new();
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
                walk(&store, entity, &query, size),
                whole,
                "{orderby} in pages of {size}"
            );
        }
    }
}

#[test]
fn a_filter_holds_on_every_page_and_the_count_is_of_all() {
    let store = Store::new();
    let query = "$filter=isPublic&$orderby=name%20desc&$count=true";
    let whole = store.ids(&BOARD, query).unwrap();
    assert_eq!(walk(&store, &BOARD, query, 2), whole);
    let bound = bind(&BOARD, query).unwrap();
    let last = [Value::Null, Value::Int(99)];
    let scope = Scope {
        after: Some(&last),
        ..Scope::default()
    };
    let count = store.rows(&sql::count(&bound, &Sqlite, &scope)).unwrap();
    assert_eq!(count, [[Value::Int(whole.len() as i64)]]);
}
