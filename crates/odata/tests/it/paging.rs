//! Pages that continue after a keyset position return the rows of the whole list, whatever it is ordered by.

use obeya_odata::Bound;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Scope, Value};

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
    let rows = walk_rows(store, &bound, size);
    rows.iter().map(|row| int(&row[id])).collect()
}

/// The rows of a query, read in pages of `size`, with the keys of the pages behind their columns.
pub fn walk_rows(store: &Store, query: &Bound, size: u64) -> Vec<Vec<Value>> {
    let mut after: Option<Vec<Value>> = None;
    let mut all = Vec::new();
    loop {
        let scope = Scope {
            limit: Some(size),
            ..Scope::default()
        };
        let page = match &after {
            None => sql::page(query, store.dialect(), &scope),
            Some(values) => sql::page_after(query, store.dialect(), &scope, values).unwrap(),
        };
        let mut rows = Vec::new();
        for statement in &page.statements {
            rows.extend(store.rows(statement).unwrap());
        }
        rows.truncate(usize::try_from(size).unwrap());
        // Rows without keys are one group of all.
        let last = rows.last().filter(|_| !page.keys.is_empty());
        after = last.map(|last| page.keys.iter().map(|&key| last[key].clone()).collect());
        all.append(&mut rows);
        if after.is_none() {
            return all;
        }
        assert!(all.len() < 1000, "it goes in circles: {all:?}");
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
        (&GROUP, "parent/isMember desc,name"),
        (&GROUP, "case(isMember:level gt 1,level gt 0:isMember) desc"),
        (&GROUP, "cast(externalId,Edm.Boolean),isMember eq null"),
        (&GROUP, "null,1,'x' desc,true,id desc"),
        (&GROUP, "round(level divby 2) desc,sortOrder add 0.5"),
        (&GROUP, "level mul 2147483648 mul 2,cast(id,Edm.String)"),
        (&GROUP, "type desc,substring(name,1)"),
        (&DATASOURCE_VALUE, "value"),
        (&DATASOURCE_VALUE, "value desc"),
        (&DATASOURCE_VALUE, "value mul -1.5,dimension desc"),
        (&DATASOURCE_VALUE, "valueDate desc,value"),
        (&INCIDENT, "incidentDate desc"),
        (&INCIDENT, "severity,incidentDate"),
        (
            &INCIDENT,
            "year(resolvedDate) desc,resolvedDate sub dueDate",
        ),
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

on_each_engine!(
    pages_of_any_size_give_the_rows_of_the_whole_list,
    a_filter_holds_on_every_page_and_the_count_is_of_all,
);
