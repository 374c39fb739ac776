//! What PostgreSQL does. Its planner weighs what the tables hold, so they hold enough for an index to be worth while.

use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Scope, Value};

use crate::model::{BOARD, COMMENT};
use crate::store::{Store, bind};

/// The plan of the rows of a query, and of each statement of what follows a place.
fn plan(store: &Store, entity: &'static EntityType, query: &str) -> String {
    let bound = bind(entity, query).unwrap();
    store.plan(&sql::select(&bound, store.dialect(), &Scope::default()))
}

/// Three boards share a name; some have none.
fn boards() -> Store {
    let store = Store::postgres();
    store.execute(
        r#"INSERT INTO boards (id, name, "boardType", "isPublic", "groupId")
           SELECT n, CASE WHEN n % 100 > 0 THEN 'Board ' || lpad((n / 3)::text, 5, '0') END, 'Weekly', n % 2, n / 1000
           FROM generate_series(1000, 30000) AS n;
           CREATE UNIQUE INDEX by_id ON boards (id);
           CREATE INDEX by_name ON boards (name NULLS FIRST, id);
           CREATE INDEX by_group ON boards ("groupId" NULLS FIRST, id);
           ANALYZE boards"#,
    );
    store
}

/// Comments of a few words, one in a thousand about a bearing. What was just written lies beside a GIN index until it is cleaned up, and is read in full.
fn comments() -> Store {
    let store = Store::postgres();
    store.execute(
        r#"INSERT INTO "incidentComments" (id, text, level)
           SELECT n, 'comment ' || n || CASE WHEN n % 1000 = 0 THEN ' on a worn bearing' ELSE ' on oil' END, n % 2
           FROM generate_series(1000, 30000) AS n;
           INSERT INTO comment_words
           SELECT id, string_to_array(text, ' '), ' ' || text || ' ' FROM "incidentComments" WHERE id >= 1000;
           CREATE UNIQUE INDEX comment_by_id ON "incidentComments" (id);
           SELECT gin_clean_pending_list('comment_words_found'), gin_clean_pending_list('comment_parts_found');
           ANALYZE "incidentComments", comment_words, comment_parts"#,
    );
    store
}

#[test]
fn a_far_page_is_a_place_in_an_index() {
    let store = boards();
    let id = Value::Int(20_000);
    let name = Value::Text("Board 06666".into());
    for (query, place, index) in [
        ("", vec![id.clone()], "by_id"),
        ("$orderby=id desc", vec![id.clone()], "by_id"),
        ("$orderby=name", vec![name.clone(), id.clone()], "by_name"),
        ("$orderby=name", vec![Value::Null, id.clone()], "by_name"),
        (
            "$orderby=name desc,id desc",
            vec![name, id.clone()],
            "by_name",
        ),
        ("$orderby=groupId", vec![Value::Int(20), id], "by_group"),
    ] {
        let bound = bind(&BOARD, query).unwrap();
        let scope = Scope {
            limit: Some(100),
            ..Scope::default()
        };
        let page = sql::page_after(&bound, store.dialect(), &scope, &place).unwrap();
        for statement in &page.statements {
            let plan = store.plan(statement);
            let seeks = plan.contains(index) && plan.contains("Index Cond: ");
            assert!(seeks, "{}\n{plan}", statement.sql);
            // What is sorted is read before it is; what is filtered was read in vain.
            let in_vain = plan.contains("Sort") || plan.contains("Filter: ");
            assert!(!in_vain, "{}\n{plan}", statement.sql);
        }
    }
}

#[test]
fn literals_of_any_kind_are_looked_up() {
    let store = boards();
    for (filter, index) in [
        ("id eq 5000", "by_id"),
        // A double beside a whole number, which would make a double of the column.
        ("id eq 5000.0", "by_id"),
        ("id in (5000,5001.0)", "by_id"),
        ("id gt 29000 and id lt 29010", "by_id"),
        ("name eq 'Board 01234'", "by_name"),
        ("name in ('Board 01234','Board 01235')", "by_name"),
        ("name ge 'Board 09990'", "by_name"),
        ("name eq null", "by_name"),
    ] {
        let plan = plan(&store, &BOARD, &format!("$filter={filter}"));
        assert!(
            plan.contains(index) && plan.contains("Index Cond: "),
            "{filter}\n{plan}"
        );
    }
}

#[test]
fn words_and_parts_are_found_by_their_indexes() {
    let store = comments();
    for (query, index) in [
        ("$search=bearing", "comment_words_found"),
        ("$search=bearing absent", "comment_words_found"),
        ("$search=\"worn bearing\"", "comment_words_found"),
        ("$search=\"worn bearing\" absent", "comment_words_found"),
        ("$filter=contains(text,'bearing')", "comment_parts_found"),
        ("$filter=endswith(text,'bearing')", "comment_parts_found"),
        (
            "$filter=contains(text,'bearing') and level eq 0",
            "comment_parts_found",
        ),
        (
            "$filter=contains(text,'bearing') or contains(text,'absent')",
            "comment_parts_found",
        ),
    ] {
        let query = query.replace('"', "%22");
        let plan = plan(&store, &COMMENT, &query);
        assert!(
            plan.contains(&format!("Bitmap Index Scan on {index}")),
            "{query}\n{plan}"
        );
    }
    for query in [
        "$filter=contains(text,'be')",
        "$filter=contains(text,'bearing') or level eq 0",
        "$filter=not contains(text,'bearing')",
    ] {
        let plan = plan(&store, &COMMENT, query);
        assert!(!plan.contains("comment_parts"), "{query}\n{plan}");
    }
}
