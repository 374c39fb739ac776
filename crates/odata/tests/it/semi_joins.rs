//! `any` over a collection, which a statement may answer from the members: the same rows whether these are
//! few or many.

use crate::model::INCIDENT;
use crate::store::{Store, encode, on_each_engine};

/// From so many members on, a page of five rows is read in the order of the rows: the root of 500,000.
const MANY: i64 = 707;

/// Incidents 1,000 to 1,999, with one comment each.
fn plant(store: &Store) {
    let numbers =
        "WITH RECURSIVE n (id) AS (SELECT 1000 UNION ALL SELECT id + 1 FROM n WHERE id < 1999)";
    store.execute(&format!(
        "INSERT INTO incidents (id, title, status) {numbers} SELECT id, 'Pump ' || id, 'New' FROM n;
         INSERT INTO \"incidentComments\" (id, \"incidentId\", text, level)
         {numbers} SELECT id, id, CASE WHEN id % 2 = 0 THEN 'bearing ' ELSE 'belt ' END || id, id FROM n"
    ));
}

fn incidents(store: &Store, filter: &str, rest: &str) -> Vec<i64> {
    let query = format!("$filter={}{rest}", encode(filter));
    store.ids(&INCIDENT, &query).unwrap()
}

fn a_page_has_the_rows_with_a_member(store: &Store) {
    plant(store);
    for members in [0, 1, 2, MANY - 1, MANY, MANY + 1, 900] {
        let last = 1_000 + members - 1;
        let any = format!("comments/any(c:c/level ge 1000 and c/level le {last})");
        let rows: Vec<i64> = (1_000..=last).collect();
        let backwards: Vec<i64> = rows.iter().rev().copied().collect();
        let of = |rows: &[i64], from: usize, to: usize| -> Vec<i64> {
            rows.iter().copied().skip(from).take(to).collect()
        };
        assert_eq!(incidents(store, &any, ""), rows, "{members}");
        assert_eq!(
            incidents(store, &any, "&$top=5"),
            of(&rows, 0, 5),
            "{members}"
        );
        assert_eq!(
            incidents(store, &any, "&$orderby=id desc&$skip=2&$top=5"),
            of(&backwards, 2, 5),
            "{members}"
        );
        // A page with room for more of them.
        assert_eq!(incidents(store, &any, "&$top=950"), rows, "{members}");
        let even: Vec<i64> = rows.iter().copied().filter(|id| id % 2 == 0).collect();
        for filter in [
            format!("{any} and comments/any(c:contains(c/text,'bearing'))"),
            format!("comments/any(c:contains(c/text,'bearing') and c/level le {last})"),
        ] {
            assert_eq!(
                incidents(store, &filter, "&$top=5"),
                of(&even, 0, 5),
                "{filter}"
            );
            assert_eq!(incidents(store, &filter, ""), even, "{filter}");
        }
        let others = format!("id ge 1000 and not {any}");
        let expected: Vec<i64> = (last + 1..2_000).collect();
        assert_eq!(incidents(store, &others, ""), expected, "{members}");
        assert_eq!(
            incidents(store, &others, "&$top=3"),
            of(&expected, 0, 3),
            "{members}"
        );
    }
}

/// A comment without an incident belongs to none, and does not turn the others' membership into null.
fn members_of_no_row_change_nothing(store: &Store) {
    plant(store);
    store.comment(5_000, "bearing of nothing");
    for window in ["", "&$top=3"] {
        let any = "comments/any(c:startswith(c/text,'bearing of'))";
        assert!(incidents(store, any, window).is_empty(), "{window}");
        let others = format!("id ge 1997 and (not {any} or {any})");
        assert_eq!(
            incidents(store, &others, window),
            [1_997, 1_998, 1_999],
            "{window}"
        );
    }
}

/// Conditions that depend on the row, or may fail for the member of another one, are evaluated for each row.
fn members_of_other_rows_are_left_alone(store: &Store) {
    plant(store);
    for (filter, expected) in [
        (
            "comments/any(c:endswith(title,'7') and c/level eq 1007)",
            vec![1_007],
        ),
        (
            "comments/any(c:c/level eq id) and id le 1001 and id ge 1000",
            vec![1_000, 1_001],
        ),
        (
            "comments/any(c:c/incident/comments/any(d:d/level eq c/level and d/level eq 1500))",
            vec![1_500],
        ),
        (
            "id eq 1001 and comments/any(c:10 div (c/level sub 1000) eq 10)",
            vec![1_001],
        ),
    ] {
        for window in ["", "&$top=5"] {
            assert_eq!(
                incidents(store, filter, window),
                expected,
                "{filter}{window}"
            );
        }
    }
}

on_each_engine!(
    a_page_has_the_rows_with_a_member,
    members_of_no_row_change_nothing,
    members_of_other_rows_are_left_alone,
);
