//! The plans of SQLite.

use obeya_odata::sql::{self, Scope, Sqlite, Value};
use rusqlite::{Connection, StatementStatus};

use crate::lookup::plant;
use crate::model::{BOARD, COMMENT, INCIDENT};
use crate::store::{Store, bind, int};

fn plan(store: &Store, query: &str) -> String {
    let bound = bind(&COMMENT, query).unwrap();
    store.plan(&sql::select(&bound, store.dialect(), &Scope::default()))
}

#[test]
fn an_index_leads_to_its_rows_in_their_order() {
    let store = Store::sqlite();
    plant(&store);
    let many: Vec<String> = (0..60)
        .map(|n| format!("contains(text,'a worn part {n:02}')"))
        .collect();
    let many = format!("$filter={}", many.join(" or "));
    for query in [
        many.as_str(),
        "$filter=contains(text,'bearing')&$top=5",
        "$filter=endswith(text,'bearing')&$orderby=id desc",
        "$filter=contains(text,'bearing') or text eq 'crab'",
        "$search=oil",
        "$search=oil&$orderby=id desc&$top=5",
    ] {
        let plan = plan(&store, query);
        assert!(
            plan.starts_with("SCAN t1 VIRTUAL TABLE INDEX"),
            "{query}\n{plan}"
        );
        assert!(!plan.contains("TEMP B-TREE"), "{query}\n{plan}");
    }
}

#[test]
fn an_index_serves_beside_other_conditions_and_in_other_orders() {
    let store = Store::sqlite();
    plant(&store);
    for query in [
        "$filter=contains(text,'bearing') and level eq 0",
        "$filter=contains(text,'bearing')&$orderby=commentDate desc",
        "$search=oil&$orderby=commentDate",
    ] {
        let plan = plan(&store, query);
        assert!(
            plan.contains("SCAN comment_") && plan.contains("VIRTUAL TABLE INDEX"),
            "{query}\n{plan}"
        );
    }
    for query in [
        "$filter=contains(text,'be')",
        "$filter=contains(text,'bearing') or level eq 0",
        "$filter=not contains(text,'bearing')",
        "$filter=contains(tolower(text),'bearing')",
    ] {
        let plan = plan(&store, query);
        assert!(!plan.contains("VIRTUAL TABLE"), "{query}\n{plan}");
    }
}

#[test]
fn a_page_goes_on_within_the_index() {
    let store = Store::sqlite();
    plant(&store);
    let query = "$filter=contains(text,'bea') or contains(text,'open')";
    let bound = bind(&COMMENT, query).unwrap();
    let after = [Value::Int(101)];
    let page = sql::page_after(&bound, store.dialect(), &Scope::default(), &after).unwrap();
    let [statement] = page.statements.as_slice() else {
        panic!("{page:?}");
    };
    let ids: Vec<i64> = store
        .rows(statement)
        .unwrap()
        .iter()
        .map(|row| int(&row[0]))
        .collect();
    assert_eq!(ids, [102, 108, 109]);
    // FTS5 shows in its plan which constraints it uses: a match and a bound of rowids.
    let plan = store.plan(statement);
    assert!(plan.contains(":M1>"), "{plan}");
}

#[test]
fn few_members_lead_to_their_rows() {
    let store = Store::sqlite();
    plant(&store);
    store.execute("CREATE UNIQUE INDEX incidents_by_id ON incidents (id)");
    let plan = |query: &str| {
        let bound = bind(&INCIDENT, query).unwrap();
        store.plan(&sql::select(&bound, store.dialect(), &Scope::default()))
    };
    for query in [
        "$filter=comments/any(c:contains(c/text,'bearing'))&$top=5",
        "$filter=comments/any(c:c/level gt 3) and comments/any(c:contains(c/text,'bearing'))&$top=5",
        "$filter=comments/any(c:contains(c/text,'bearing')) and comments/any(c:c/level gt 3)&$top=5",
        "$filter=comments/any(c:contains(c/text,'bearing')) and status eq 'New'&$orderby=title&$top=5",
    ] {
        let plan = plan(query);
        assert!(plan.contains("VIRTUAL TABLE INDEX"), "{query}\n{plan}");
        let by_member = "SEARCH t0 USING INDEX incidents_by_id (id=?)";
        assert!(plan.contains(by_member), "{query}\n{plan}");
        assert_eq!(plan.matches("MATERIALIZE").count(), 1, "{query}\n{plan}");
    }
    // Without a limit there is nothing to decide.
    let all = plan("$filter=comments/any(c:contains(c/text,'bearing'))");
    assert!(
        !all.contains("MATERIALIZE") && !all.contains("CORRELATED"),
        "{all}"
    );
    assert!(all.contains("VIRTUAL TABLE INDEX"), "{all}");
    for query in [
        "$filter=comments/any(c:c/level eq id)&$top=5",
        "$filter=comments/any(c:c/level gt 3) or status eq 'New'&$top=5",
        "$filter=not comments/any(c:c/level gt 3)&$top=5",
    ] {
        let plan = plan(query);
        assert!(!plan.contains("MATERIALIZE"), "{query}\n{plan}");
    }
}

/// Steps of SQLite's virtual machine for a page of 100 boards that continues after a board.
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
